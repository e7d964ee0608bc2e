"""How calls end that may be refused: by which exception, or with what they give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jmsapi import IllegalArgumentException, JMSException, NullPointerException
from touchstone.api import CLIENT_FAILURES

Kinds = type[Exception] | tuple[type[Exception], ...]


def refusal(
    call: Callable[..., object], *args: Any, by: Kinds = CLIENT_FAILURES
) -> Exception | None:
    """The exception of the kinds `by` that a call raises; None when it raises nothing.

    Others, faults of the harness among them, are raised.
    """
    try:
        call(*args)
    except by as error:
        return error
    return None


def refused_as(call: Callable[..., object], *args: Any, by: Kinds) -> str | None:
    """The same by the name of its class."""
    error = refusal(call, *args, by=by)
    return type(error).__name__ if error is not None else None


def outcome(read: Callable[[], Any]) -> Any:
    """What a read gives, or the class of the exception by which it is refused."""
    try:
        return read()
    except (JMSException, IllegalArgumentException, NullPointerException) as error:
        return type(error)
