"""Which failures speak against the client, and how they read in one line."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from typing import Final

from jms_brokers.errors import NotAsExpected
from jms_clients.errors import ClientError
from jms_clients.origins import CATALOGUES, Origin, origin_of
from jmsapi import (
    IndexOutOfBoundsException,
    JMSException,
    JMSRuntimeException,
    NullPointerException,
    UnsupportedOperationException,
)
from jmsapi.errors import IllegalArgumentException
from touchstone.outcomes.endings import Hung

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


class Failure(StrEnum):
    """How a scenario failed."""

    ASSERTION = "assertion"
    """Something was not as the statement has it."""
    EXCEPTION = "exception"
    HANG = "hang"
    """A call did not come back."""


class Phase(StrEnum):
    """When: pytest's phases of a test."""

    SETUP = "setup"
    CALL = "call"
    TEARDOWN = "teardown"


_AGAINST_THE_CLIENT: Final = frozenset(
    {
        *((Origin.CLIENT, failure, Phase.CALL) for failure in Failure),
        (Origin.CLIENT, Failure.HANG, Phase.TEARDOWN),
        (Origin.SCENARIO, Failure.ASSERTION, Phase.CALL),
    }
)


def speaks_against_client(
    origin: Origin, failure: Failure, phase: Phase, *, broker_answers: bool
) -> bool:
    """Whether what happened there, then, is the client's fault: the table of docs/reports.md."""
    return broker_answers and (origin, failure, phase) in _AGAINST_THE_CLIENT


def failure_of(error: BaseException) -> Failure:
    """How a scenario failed that ended by `error`."""
    if isinstance(error, Hung):
        return Failure.HANG
    return Failure.ASSERTION if isinstance(error, AssertionError) else Failure.EXCEPTION


def is_client_failure(
    error: BaseException, catalogues: Collection[str], phase: Phase = Phase.CALL
) -> bool:
    """Whether the error speaks against the client, as far as the broker answers.

    `catalogues` are the packages of scenarios. Of a group every part has to.
    """
    if isinstance(error, BaseExceptionGroup):
        return all(is_client_failure(part, catalogues, phase) for part in error.exceptions)
    origin = _origin(error, catalogues)
    return speaks_against_client(origin, failure_of(error), phase, broker_answers=True)


def _origin(error: BaseException, catalogues: Collection[str]) -> Origin:
    if isinstance(error, Hung):
        return error.origin
    of_a_group = isinstance(error, AssertionError) and error.__traceback__ is None
    if isinstance(error, NotAsExpected) or of_a_group:
        return Origin.SCENARIO
    return origin_of(error, catalogues)


def is_raised_by_client(error: Exception) -> bool:
    """Whether the error came out of the client under test, of whatever class it is."""
    return origin_of(error, CATALOGUES) is Origin.CLIENT


def failure_message(error: BaseException) -> str:
    """One line that says what failed."""
    if isinstance(error, BaseExceptionGroup):
        return failure_message(error.exceptions[0])
    text = _first_line(str(error))
    if isinstance(error, AssertionError):
        return text or "assertion failed"
    if isinstance(error, Hung):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _first_line(text: str) -> str:
    return " ".join(text.strip().split("\n", 1)[0].split())
