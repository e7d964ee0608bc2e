"""Damaged messages among good ones: who reads them, and what came of it.

Good messages are texts, `good-1` and so on. A damaged one may be given to the application, wrong as
it is, or be refused by an exception; either is lawful, and what follows of it is judged.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle, zip_longest
from typing import Any, Protocol, TypeVar

from jmsapi import JMSException, JMSRuntimeException, Message
from touchstone.api import Poison, content_of, if_there_is, is_raised_by_client

T = TypeVar("T")
LAST = "good-last"
"""The text of the good message at the end of a stream."""
BEHIND = "good-behind"
"""Sent when the stream was read: what the client would hand out again comes before it."""
_LAWFUL = (JMSException, JMSRuntimeException)
"""What a client may throw where something is damaged."""
_HEADERS = (
    *("jms_message_id", "jms_timestamp", "jms_correlation_id", "jms_correlation_id_as_bytes"),
    *("jms_reply_to", "jms_destination", "jms_delivery_mode", "jms_redelivered", "jms_type"),
    *("jms_expiration", "jms_delivery_time", "jms_priority"),
)
_TURN = 20
"""Milliseconds of a call of receive() where several consumers take turns."""
_MOST = 1000
"""Elements of an enumeration that are asked for."""


class Receiving(Protocol):
    """A consumer of either API."""

    def receive(self, timeout: int | None = None) -> Message | None: ...


def good_texts(count: int) -> list[str]:
    """The texts of `count` good messages, of which the last is known as that."""
    return [*(f"good-{number}" for number in range(1, count)), LAST]


def spread_among(poisons: Sequence[Poison], good: Sequence[str]) -> list[str | Poison]:
    """Damaged messages spread evenly among good ones; a good one is the first and the last."""
    gaps = len(good) - 1
    shares = [poisons[gap::gaps] for gap in range(gaps)]
    mixed: list[str | Poison] = []
    for text, share in zip_longest(good, shares, fillvalue=()):
        assert isinstance(text, str)
        mixed += [text, *share]
    return mixed


@dataclass
class Seen:
    """What a reader saw of one stream of messages."""

    good: list[str] = field(default_factory=list)
    """The texts of good messages, in order."""
    shown: int = 0
    """Damaged messages that were handed over, each as often as it was."""
    refusals: list[Exception] = field(default_factory=list)
    """What was thrown where a message was asked for."""
    failures: list[Exception] = field(default_factory=list)
    """What was thrown by reading what was handed over."""

    def take(self, message: Message) -> None:
        """Note a message, and read all of it."""
        failures, text = _looked_into(message)
        if text is not None and text.startswith("good-"):
            self.good.append(text)
        else:
            self.shown += 1
        self.failures += failures

    def lost(self, good: Sequence[str]) -> str:
        """What of the good messages did not come, in words; nothing when all came."""
        missing = set(good) - set(self.good)
        if not missing:
            return ""
        return "nothing came behind it" if good[-1] in missing else "a neighbour did not come"

    def repeated(self) -> str:
        """Whether a good message came more than once."""
        return "a neighbour came twice" if max(Counter(self.good).values(), default=0) > 1 else ""

    def disordered(self, good: Sequence[str]) -> str:
        """Whether good messages came in another order than they were sent in."""
        came = list(dict.fromkeys(self.good))
        return (
            "" if came == [text for text in good if text in came] else "neighbours changed places"
        )

    def refused_by(self, *kinds: type[Exception]) -> str:
        """The exceptions of these classes that were thrown where a message was asked for."""
        return ", ".join(sorted({named(each) for each in self.refusals if isinstance(each, kinds)}))

    def foreign(self, *lawful: type[Exception]) -> str:
        """The exceptions of receiving and reading that are of no lawful class."""
        thrown = (*self.refusals, *self.failures)
        names = {named(error) for error in thrown if not isinstance(error, lawful)}
        return ", ".join(sorted(names))


class PoisonListener:
    """A listener that reads all of each message, and throws nothing."""

    def __init__(self, seen: Seen | None = None) -> None:
        self.seen = seen or Seen()
        self._changed = threading.Condition()

    def __call__(self, message: Message) -> None:
        with self._changed:
            self.seen.take(message)
            self._changed.notify_all()

    def ends(self, within: float, last: str = LAST) -> bool:
        """Whether the good message `last` comes before there is nothing for so many seconds."""
        with self._changed:
            while last not in self.seen.good and self._changed.wait(within):
                pass
            return last in self.seen.good


def received(consumer: Receiving, within: float) -> Seen:
    """What receive() gives up to the last good message, or until nothing comes for `within` s.

    What it throws counts, and it is called again.
    """
    return received_by([consumer], [LAST], within)


def received_by(
    consumers: Sequence[Receiving], good: Sequence[str], within: float, seen: Seen | None = None
) -> Seen:
    """What consumers get by turns until they have these good messages; see `received`.

    What was `seen` before is added to.
    """
    seen = seen or Seen()
    end = time.monotonic() + within
    for consumer in cycle(consumers):
        left = end - time.monotonic()
        if set(good) <= set(seen.good) or left <= 0:
            break
        wait = max(1, round(1000 * left)) if len(consumers) == 1 else _TURN
        if receive_into(seen, consumer, wait):
            end = time.monotonic() + within
    return seen


def receive_into(seen: Seen, consumer: Receiving, wait: int) -> bool:
    """Note what one call of receive() gives or throws; whether it gave a message."""
    message, error = attempt(partial(consumer.receive, wait))
    if error is not None:
        seen.refusals.append(error)
    elif message is not None:
        seen.take(message)
    return message is not None


def browsed(enumeration: Iterator[Message]) -> Seen:
    """What an enumeration gives to its end; where it throws it is asked for what comes next."""
    seen = Seen()
    for _ in range(_MOST):
        message, error = attempt(lambda: next(enumeration, None))
        if error is not None:
            seen.refusals.append(error)
        elif message is None:
            break
        else:
            seen.take(message)
    return seen


def attempt(call: Callable[[], T]) -> tuple[T | None, Exception | None]:
    """What the call gives, or what the client throws; a fault of the harness is raised."""
    try:
        return call(), None
    except Exception as error:
        if not is_raised_by_client(error):
            raise
        return None, error


def named(error: Exception) -> str:
    """The class of an exception: Java's own where there is none for it here."""
    name = type(error).__name__
    return str(error).partition(":")[0] if name == "ClientError" else name


def _looked_into(message: Message) -> tuple[list[Exception], str | None]:
    """What reading everything of a message threw, but JMS exceptions; its text.

    A broker may give texts of another protocol as bytes: then the property `good` tells.
    """
    reads: list[Callable[[], Any]] = [partial(getattr, message, name) for name in _HEADERS]
    names, failed = attempt(lambda: list(message.property_names()))
    failures = [failed]
    for name in names or ():
        reads += [partial(message.get_object_property, name)]
        reads += [partial(message.get_string_property, name)]
    failures += [error for read in reads for _, error in if_there_is(partial(attempt, read))]
    content, failed = attempt(lambda: content_of(message))
    failures.append(failed)
    unlawful = [each for each in failures if each is not None and not isinstance(each, _LAWFUL)]
    if isinstance(content, str):
        return unlawful, content
    return unlawful, attempt(partial(message.get_string_property, "good"))[0]
