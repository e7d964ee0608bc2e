"""Waiting without sleeping: for a condition, for messages, for the proof that nothing came.

A busy machine is given more time than a wait names (jms_brokers.machine.patience).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Generic, Protocol, Self, TypeVar

from jms_brokers.machine.patience import patience
from jms_brokers.machine.polling import until
from jms_brokers.machine.spending import Purpose, spent_on
from jmsapi import Message
from touchstone.outcomes.endings import Inconclusive, Withheld
from touchstone.scenario.judgement import current

T = TypeVar("T")
E = TypeVar("E", bound=BaseException)


class Receiver(Protocol):
    """A consumer of either API."""

    def receive(self, timeout: int | None = None) -> Message | None: ...


def eventually(condition: Callable[[], T], within: float = 10.0) -> T:
    """The first truthy value of `condition`, polled for `within` seconds; else AssertionError.

    It counts as a check.
    """
    __tracebackhide__ = True
    value = until(condition, within)
    current().held()
    return value


def receive(consumer: Receiver, within: float = 10.0) -> Message:
    """The message that has to come within `within` seconds.

    When it does not, a message by the independent client decides: if that one comes, the client
    is at fault (AssertionError), otherwise nothing can be said (INCONCLUSIVE).
    """
    __tracebackhide__ = True
    for seconds in patience(within):
        message = _next(consumer, seconds)
        if message is not None:
            current().held()
            return message
    raise _missing(f"no message came within {within:g} s")


def receive_all(consumer: Receiver, count: int, within: float = 20.0) -> list[Message]:
    """The `count` messages that have to come within `within` seconds, all together."""
    __tracebackhide__ = True
    messages: list[Message] = []
    for seconds in patience(within):
        end = time.monotonic() + seconds
        while len(messages) < count and (left := end - time.monotonic()) > 0:
            message = _next(consumer, left)
            if message is None:
                break
            messages.append(message)
        if len(messages) == count:
            current().held()
            return messages
    raise _missing(f"{len(messages)} of {count} messages came within {within:g} s")


def nothing_before(
    consumer: Receiver,
    send_marker: Callable[[], object],
    is_marker: Callable[[Message], bool],
    within: float = 10.0,
) -> list[Message]:
    """The proof that nothing arrives: a marker is sent, and it is the next message to come.

    Gives the marker, in a list; AssertionError with what came before it otherwise.
    """
    __tracebackhide__ = True
    send_marker()
    before: list[Message] = []
    for seconds in patience(within):
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            message = _next(consumer, left)
            if message is None:
                break
            if is_marker(message):
                if before:
                    came = f"{len(before)} messages came before the marker: {before!r}"
                    raise AssertionError(came)
                current().held()
                return [message]
            before.append(message)
    raise _missing(f"the marker did not come within {within:g} s; before it came {before!r}")


class refuses(Generic[E]):  # noqa: N801 (reads as a verb in scenarios)
    """`with refuses(JMSException) as refusal:` holds when the body raises one; `refusal.value`."""

    def __init__(self, *kinds: type[E]) -> None:
        self._kinds = kinds
        self._value: E | None = None

    @property
    def value(self) -> E:
        """The exception that was raised."""
        if self._value is None:
            raise AssertionError(f"{self._names()} was not raised yet")
        return self._value

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        __tracebackhide__ = True
        if error is None:
            raise AssertionError(f"not refused: {self._names()} was expected, and nothing came")
        if not isinstance(error, self._kinds):
            return False
        self._value = error
        current().held()
        return True

    def _names(self) -> str:
        return " or ".join(kind.__name__ for kind in self._kinds)


def _next(consumer: Receiver, within: float) -> Message | None:
    with spent_on(Purpose.MESSAGE):
        return consumer.receive(max(1, round(within * 1000)))


def _missing(what: str) -> Exception:
    """The exception for a message that did not come, after the control message."""
    wrong = current().broken_harness()
    if wrong is not None:
        return Inconclusive(f"{what}, but neither did the control message: {wrong}")
    if kept := current().kept_by_the_broker():
        return Withheld(f"{what}, but {kept}")
    return AssertionError(f"{what}, while the control message by the independent client did")
