"""Which exceptions speak against the client, and how they read in one line."""

from __future__ import annotations

from collections.abc import Collection

from jmsapi import (
    IndexOutOfBoundsException,
    JMSException,
    JMSRuntimeException,
    NullPointerException,
    UnsupportedOperationException,
)
from jmsapi.errors import IllegalArgumentException
from touchstone.errors import ClientError, NotAsExpected

CLIENT_FAILURES = (
    JMSException,
    JMSRuntimeException,
    IllegalArgumentException,
    IndexOutOfBoundsException,
    NullPointerException,
    UnsupportedOperationException,
    ClientError,
)
"""What a client raises to say that a call failed."""
_OURS = ("touchstone.", "jms_histories.", "jms_scenarios.", "None.")
"""Packages whose errors are faults of the harness."""
_JUDGES = ("touchstone.scenario", "touchstone.workloads.small")
"""Packages of the harness whose AssertionErrors are verdicts, besides the catalogues."""


def is_client_failure(error: BaseException, catalogues: Collection[str]) -> bool:
    """Whether the error speaks against the client: a failed assertion or a JMS exception.

    An assertion counts when it stands in a package of `catalogues` or in a check of the harness,
    or is `NotAsExpected`; not when the client or a library made it.
    """
    if isinstance(error, BaseExceptionGroup):
        return all(is_client_failure(part, catalogues) for part in error.exceptions)
    if isinstance(error, NotAsExpected):
        return True
    if isinstance(error, AssertionError):
        module = _module_of(error)
        return module is None or any(
            f"{module}.".startswith(f"{package}.") for package in (*_JUDGES, *catalogues)
        )
    return isinstance(error, CLIENT_FAILURES)


def is_raised_by_client(error: Exception) -> bool:
    """Whether the error came out of the client under test, of whatever class it is.

    What is no exception of JMS speaks against it where its own code, or what that calls, raised it.
    """
    if isinstance(error, CLIENT_FAILURES):
        return True
    module = f"{_module_of(error)}."
    return module.startswith("touchstone.mutants.") or not module.startswith(_OURS)


def failure_message(error: BaseException) -> str:
    """One line that says what failed."""
    if isinstance(error, BaseExceptionGroup):
        return failure_message(error.exceptions[0])
    text = _first_line(str(error))
    if isinstance(error, AssertionError):
        return text or "assertion failed"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _first_line(text: str) -> str:
    return " ".join(text.strip().split("\n", 1)[0].split())


def _module_of(error: BaseException) -> str | None:
    """The module that raised the error, None for one that was never raised."""
    trace = error.__traceback__
    if trace is None:
        return None
    while trace.tb_next is not None:
        trace = trace.tb_next
    return str(trace.tb_frame.f_globals.get("__name__", ""))
