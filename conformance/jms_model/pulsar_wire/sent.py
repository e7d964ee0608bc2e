"""A message as an application of JMS sends it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from jms_model.answers import text_of
from jms_model.headers import Name

PERSISTENT: Final = 2
DEFAULT_PRIORITY: Final = 4
ARGUMENTS, SETTERS, DEFAULTS = "arguments", "setters", "defaults"
"""By what a send is given mode, priority and time to live; a producer with defaults is new."""
SYNCHRONOUS, UNIDENTIFIED, ASYNCHRONOUS, TRANSACTED = "send", "unidentified", "async", "transacted"
CONTEXT, CONTEXT_ASYNC, CONTEXT_TRANSACTED = "context", "context async", "context transacted"
BODY: Final = "context body"
CLASSIC: Final = (SYNCHRONOUS, UNIDENTIFIED, ASYNCHRONOUS, TRANSACTED)
SIMPLIFIED: Final = (CONTEXT, CONTEXT_ASYNC, CONTEXT_TRANSACTED, BODY)
"""The forms of sending, by producers of sessions and by those of contexts."""
TEMPORARY: Final = "temporary"
"""The name of a destination that lives as long as its connection."""
SUBSCRIBED: Final = ":own-"
"""How the subscription begins that the name of a queue may end with."""
TRANSACTIONS: Final = (TRANSACTED, CONTEXT_TRANSACTED)


@dataclass(frozen=True, slots=True)
class MessageToSend:
    """What an application gives to its client; of the options those that are in force."""

    form: str
    kind: str
    content: object
    properties: Mapping[str, object] = field(default_factory=dict)
    jms_type: str | None = None
    correlation: str | bytes | None = None
    reply: Name | None = None
    options_by: str = DEFAULTS
    mode: int = PERSISTENT
    priority: int = DEFAULT_PRIORITY
    lives: int = 0
    delay: int = 0
    by_producer: bool = False
    """Whether a JMSProducer has the properties and header fields, and not the message."""
    refused: bool = False
    """Whether the producer refused something before."""
    times: int = 1
    """How often the very message is sent, one after another."""
    connection: int = 0
    """Of the two connections of its API the one that sends."""
    typed: bool = True
    """Whether properties are set by the setters of their types."""
    method: str = "send"

    @property
    def sender(self) -> str:
        """Which connection sends: each API and each transacted session has its own."""
        api = "transacted" if self.form in TRANSACTIONS else "other"
        return f"{api} {'context' if self.form in SIMPLIFIED else 'session'} {self.connection}"

    def __str__(self) -> str:
        told = {
            **self.properties,
            "JMSType": self.jms_type,
            "JMSCorrelationID": self.correlation,
            "JMSReplyTo": self.reply and f"{self.reply.kind} {self.reply.name}",
        }
        given = [f"{name} = {text_of(value)}" for name, value in told.items() if value is not None]
        if self.options_by != DEFAULTS or self.delay:
            options = f"mode {self.mode}, priority {self.priority}, lives {self.lives}"
            given.append(f"{options}, delay {self.delay} by {self.options_by}")
        if self.by_producer:
            given.append("of the JMSProducer")
        if self.refused:
            given.append("behind a refused setting")
        body = f"a {self.kind} message {text_of(self.content)}"
        times = " twice" if self.times == 2 else ""
        return f"{self.form} {body}{times} with {', '.join(given) or 'nothing else'}"


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a send once it was made."""

    before: int
    after: int
    """Milliseconds between which it was sent."""
    reply: str | None = None
    """The full name of the topic behind the reply destination."""
    id: str | None = None
    """The message id that the sender reads; None where there is no message to ask."""
    not_set: frozenset[str] = frozenset()
    """The properties that the client refused to set."""
