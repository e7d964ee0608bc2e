"""Browsing queues: reading what is due without taking it, by readers that leave nothing behind."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol, Self

from jmsapi import (
    Enumeration,
    IllegalStateException,
    JMSException,
    Message,
    MessageFormatException,
    Queue,
)
from pulsar_jms.broker_client import BrokerClient
from pulsar_jms.closing import ContextManaged
from pulsar_jms.configuration import Settings
from pulsar_jms.consuming.message_filter import MessageFilter
from pulsar_jms.implements import implements
from pulsar_jms.mapping.destinations import PulsarQueue
from pulsar_jms.mapping.headers import read_delivery_time
from pulsar_jms.mapping.selectors import FilterResult, selector_of
from pulsar_jms.mapping.topic_extent import Extent, is_delivered_yet
from pulsar_jms.messages import PulsarMessage
from pulsar_jms.messages.decoding import decode_received, unreadable_error
from pulsar_jms.transport.administration import Administration
from pulsar_jms.transport.topics import topics_of
from pulsar_jms.transport.transport_protocol import Reader
from pulsar_jms.transport.wire_messages import Incoming, MessagePosition

_LOG = logging.getLogger(__name__)

_UNDECODED = (
    "It stays where it is, and the browser goes on behind it; look at its JMSPulsarMessageType and "
    "payload"
)
_READ = 500
"""Milliseconds of one wait for a message that the broker says it has."""
_SILENCE = 10.0
"""Seconds without one after which it is none that readers get: of an open transaction, perhaps."""


class Stretch(NamedTuple):
    """The part of one partition that an enumeration goes through."""

    topic: str
    start: MessagePosition | None
    """The first message due; None for the first that the broker holds."""
    extent: Extent


class BrowserSession(Protocol):
    """What a browser needs of its session."""

    @property
    def client(self) -> BrokerClient: ...
    @property
    def settings(self) -> Settings: ...
    @property
    def lock(self) -> AbstractContextManager[object]: ...
    @property
    def closed(self) -> bool: ...

    def all_unacknowledged_positions(self) -> set[MessagePosition]:
        """Where the messages are that any session of the factory got and nobody settled."""
        ...

    def forget_browser(self, browser: PulsarQueueBrowser) -> None:
        """Drop a browser that was closed."""
        ...


@implements("API-BRW-001..007")
class PulsarQueueBrowser(ContextManaged):
    """A browser of one queue; each enumeration shows what is there when it begins."""

    def __init__(self, session: BrowserSession, queue: PulsarQueue, selector: str | None) -> None:
        """`InvalidSelectorException` for a malformed selector.

        `JMSException` where there is no administration, which alone knows where to begin.
        """
        self._session = session
        self._queue = queue
        self._source = queue.source(session.settings.namespace)
        self._subscription = queue.subscription or session.settings.queue_subscription
        self._selector = selector or None
        self._message_filter = MessageFilter(selector_of(selector))
        self._administration = _require_administration(session.client.administration, queue)
        self._schemas = session.client.schemas(
            session.settings.with_overrides(queue.settings, repr(queue))
        )
        self._enumerations: list[PulsarEnumeration] = []
        self._closed = False

    def __repr__(self) -> str:
        return f"browser of {self._queue!r}"

    @property
    @implements("RMQ-BRW-013")
    def queue(self) -> Queue:
        """The queue that is browsed."""
        self._check_open()
        return self._queue

    @property
    @implements("RMQ-BRW-012")
    def message_selector(self) -> str | None:
        """The selector as it was given; None without one."""
        self._check_open()
        return self._selector

    @property
    @implements("JMS-BRW-002")
    def enumeration(self) -> Enumeration:
        """The messages due now, in the order of each partition; every access begins anew."""
        return self._look(self._message_filter)

    def _look(self, message_filter: MessageFilter) -> PulsarEnumeration:
        """A look at what is in the queue now and passes the filter."""
        self._check_open()
        enumeration = PulsarEnumeration(self, message_filter, deque(self._stretches()))
        with self._session.lock:
            if not self._closed:
                self._enumerations.append(enumeration)
                return enumeration
        raise self._closed_error()

    @implements("JMS-BRW-001", "SLJ-BRW-001", "RMQ-BRW-028")
    def reader(self, stretch: Stretch) -> Reader:
        """A reader at the beginning of a stretch."""
        return self._session.client.transport.reader(stretch.topic, stretch.start)

    def decode(self, incoming: Incoming) -> PulsarMessage:
        """The message as JMS has it; errors as those of `decoding.decode`."""
        limits = self._session.settings.limits
        return decode_received(incoming, self._queue, self._schemas, limits, _UNDECODED)

    def forget(self, enumeration: PulsarEnumeration) -> None:
        """Drop an enumeration that has come to its end."""
        with self._session.lock:
            if enumeration in self._enumerations:
                self._enumerations.remove(enumeration)

    def close(self) -> None:
        """Close the browser and its enumerations; nothing stays at the broker."""
        with self._session.lock:
            if self._closed:
                return
            self._closed = True
            enumerations = list(self._enumerations)
        for enumeration in enumerations:
            enumeration.close()
        self._session.forget_browser(self)

    def abandon(self) -> None:
        """Count as closed in a forked child; the parent goes on with it."""
        self._closed = True
        for enumeration in self._enumerations:
            enumeration.abandon()

    def check_answers(self, stretch: Stretch) -> None:
        """`JMSException` when the broker does not answer."""
        self._administration.extent(stretch.topic, self._subscription)

    def _stretches(self) -> Iterator[Stretch]:
        administration = self._administration
        for topic in topics_of(self._source, administration):
            for part in administration.parts(topic):
                yield from self._stretch(part)

    @implements("SLJ-BRW-003", "SLJ-BRW-005")
    def _stretch(self, topic: str) -> Iterator[Stretch]:
        """What there is to show of one topic or partition, if anything."""
        extent = self._administration.extent(topic, self._subscription)
        if extent is None or extent.last[1] < 0:
            return
        start = None
        if extent.subscribed:
            start = self._administration.first_due(topic, self._subscription)
            if start is None:
                return
        yield Stretch(topic, start, extent)

    def _check_open(self) -> None:
        if self._closed or self._session.closed:
            raise self._closed_error()

    def _closed_error(self) -> IllegalStateException:
        return IllegalStateException(f"The {self!r} is closed")


class PulsarEnumeration(Enumeration):
    """The messages of one look at a queue; closed by its end or with its browser."""

    def __init__(
        self, browser: PulsarQueueBrowser, message_filter: MessageFilter, stretches: deque[Stretch]
    ) -> None:
        self._browser = browser
        self._message_filter = message_filter
        self._stretches = stretches
        self._reader: Reader | None = None
        self._ahead: Incoming | JMSException | None = None
        """The next message to show, or why not, once somebody asked whether there is one."""
        self._closed = False

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Message:
        """The next message; one that cannot be read raises `JMSException`, and the next follows.

        `IllegalStateException` when the browser was closed.
        """
        incoming = self.take()
        if incoming is None:
            raise StopIteration
        return self._browser.decode(incoming)

    def has_more_elements(self) -> bool:
        """Whether another message follows, be it one that cannot be read.

        `IllegalStateException` when the browser was closed.
        """
        if self._ahead is None:
            try:
                self._ahead = self.take()
            except MessageFormatException as error:
                self._ahead = error
        return self._ahead is not None

    def take(self) -> Incoming | None:
        """The next message to show, as it came; None behind the last.

        `MessageFormatException` where it cannot be decided whether to show it; the next follows.
        """
        ahead, self._ahead = self._ahead, None
        if ahead is not None:
            self._check_open()
            if isinstance(ahead, JMSException):
                raise ahead
            return ahead
        while self._stretches:
            incoming = self._read(self._stretches[0])
            if incoming is None:
                self._stretches.popleft()
                self._close_reader()
            elif self._shows(incoming, self._stretches[0].extent):
                return incoming
        self._check_open()
        self._browser.forget(self)
        return None

    def abandon(self) -> None:
        """Count as closed in a forked child."""
        self._closed = True
        self._reader = None

    def close(self) -> None:
        """Close the reader that is open."""
        self._closed = True
        self._close_reader()

    def _read(self, stretch: Stretch) -> Incoming | None:
        """The next message of a stretch; None at its end."""
        self._check_open()
        if self._reader is None:
            self._reader = self._browser.reader(stretch)
            if self._closed:
                self._close_reader()
                self._check_open()
        silent_until = time.monotonic() + _SILENCE
        while self._reader.has_next():
            incoming = self._reader.read(_READ)
            self._check_open()
            if incoming is not None:
                return incoming if incoming.position[:2] <= stretch.extent.last else None
            if time.monotonic() >= silent_until:
                self._browser.check_answers(stretch)
                _LOG.warning("%r ends before the last message of %s", self._browser, stretch.topic)
                return None
        return None

    def _shows(self, incoming: Incoming, extent: Extent) -> bool:
        try:
            return self._is_to_show(incoming, extent)
        except JMSException:
            raise
        except Exception as error:
            raise unreadable_error(incoming, error, _UNDECODED) from error

    @implements("JMS-BRW-003")
    def _is_to_show(self, incoming: Incoming, extent: Extent) -> bool:
        """Whether a message is due, delivered already, and accepted by the selector."""
        if not extent.is_due(incoming.position[:2]):
            return False
        sent_at = incoming.event_time or incoming.publish_time
        delivery_time = read_delivery_time(incoming.properties, sent_at)
        if not is_delivered_yet(delivery_time, sent_at, self._message_filter.clock()):
            return False
        return self._message_filter.filter_result(incoming) is FilterResult.DELIVERED

    def _close_reader(self) -> None:
        reader, self._reader = self._reader, None
        if reader is not None:
            reader.close()

    def _check_open(self) -> None:
        if self._closed:
            raise IllegalStateException(f"The {self._browser!r} is closed")


def _require_administration(administration: Administration | None, queue: Queue) -> Administration:
    if administration is None:
        raise IllegalStateException(
            f"A browser of {queue!r} finds its first message by the administration: set "
            "jms.usePulsarAdmin=true and webServiceUrl"
        )
    return administration
