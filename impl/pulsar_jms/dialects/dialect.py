"""What a dialect decides; everything else is shared by all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from jmsapi import JMSException, Message
from pulsar_jms.consuming.browser import BrowserSession, PulsarQueueBrowser
from pulsar_jms.consuming.message_filter import MessageFilter
from pulsar_jms.mapping.destinations import PulsarQueue
from pulsar_jms.mapping.session_modes import ModeRow
from pulsar_jms.messages import PulsarMessage
from pulsar_jms.settling.settlement import Settlement
from pulsar_jms.settling.settling_session import SettlingSession
from pulsar_jms.settling.transactions import SessionTransaction, TransactedSession
from pulsar_jms.transport.transport_protocol import TransportConsumer


@dataclass(frozen=True)
class Dialect:
    """The decisions in which the documents differ."""

    name: str
    modes: Mapping[int, ModeRow]
    """Session modes: their numbers, what acknowledge() covers, what the session reports."""
    settlement: Callable[[SettlingSession], Settlement]
    """How a new session acknowledges, and has delivered again."""
    transaction: Callable[[TransactedSession], SessionTransaction]
    """The transaction of a new transacted session."""
    browser: Callable[[BrowserSession, PulsarQueue, str | None], PulsarQueueBrowser]
    """A browser of a queue, with a selector or None."""
    convert: Callable[[Message], PulsarMessage]
    """Converts a message of another JMS provider to this client's own (JMS 2.0, 3.12)."""
    transport_consumer: Callable[[int, TransportConsumer, MessageFilter, int], TransportConsumer]
    """What a new consumer receives from, given its session's mode, the transport's own consumer,
    which messages pass, and how much is fetched ahead."""
    keys: Mapping[str, Callable[[object], object]]
    """Configuration keys beside Starlight's, each a property of the factory that may change between
    two connections, and what checks a value: `ValueError` says what is allowed."""
    initial: Callable[[Mapping[str, str]], Mapping[str, object]]
    """Values of these keys that a new factory takes from the environment."""

    def check_own(self, key: str) -> None:
        """`JMSException` unless `key` is one of this dialect's own."""
        if key not in self.keys:
            known = ", ".join(self.keys) or "none"
            raise JMSException(
                f"{key!r} is no property of a factory in the dialect {self.name}; there: {known}"
            )
