"""Sessions, producers, listeners and sends, as an application has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final, TypeVar

from jmsapi import SessionMode

T = TypeVar("T")
READS: Final = "reads"
THROWS: Final = "throws"
LASTS: Final = "lasts"
HELD: Final = "is held"
"""Its callbacks wait until somebody waits for them."""
SENDS: Final = "sends"
CLOSES_PRODUCER: Final = "closes its producer"
CLOSES_SESSION: Final = "closes its session"
CLOSES_CONNECTION: Final = "closes its connection"
COMMITS: Final = "commits"
ROLLS_BACK: Final = "rolls back"
REFUSED_ACTS: Final = (CLOSES_PRODUCER, CLOSES_SESSION, CLOSES_CONNECTION, COMMITS, ROLLS_BACK)
"""What a callback may not do."""
REFUSES: Final = "JMS-ASY-008"
"""The statement that it is refused, and so changes nothing."""
SPARED: Final = "behind a callback that was refused an end"
ACTS: Final = (READS, THROWS, LASTS, HELD, SENDS, *REFUSED_ACTS)
"""What a listener does when it is called, besides reading the message."""
CONNECTION: Final = "c"
"""The name of the connection, which is there before the program."""
NESTED: Final = 1000
"""What a callback sends has the number of the send that it is called for, and so much more."""
LARGE: Final = "large"
"""A text that is larger than some brokers take."""
BARE: Final = "body"
"""The body alone is handed over, and no message."""
NULL: Final = "null"
AGAIN: Final = "again"
"""The message of another send."""
COMPLETED: Final = "onCompletion"
FAILED: Final = "onException"
DEFAULTS: Final[Mapping[str, int]] = {"delivery_mode": 2, "priority": 4, "time_to_live": 0}
"""What a new producer has."""
PERSISTENT: Final = 2


class MessageFate(Enum):
    """What has become of a message."""

    SENT = "sent"
    IN_TRANSACTION = "in a transaction"
    NOWHERE = "nowhere"
    UNKNOWN = "unknown"


@dataclass(slots=True, eq=False)
class Listener:
    """A CompletionListener, and what it does."""

    act: str


@dataclass(slots=True, eq=False)
class Session:
    """A session, or a context."""

    mode: int
    closed: bool = False
    busy: bool = False
    """Whether a callback may be using it, so that the application must not."""
    spared: bool = False
    """Whether a callback was refused to end it, so that it has to be as it was."""

    @property
    def transacted(self) -> bool:
        """Whether it works in transactions."""
        return self.mode == SessionMode.SESSION_TRANSACTED


@dataclass(slots=True, eq=False)
class Producer:
    """A producer of a session: for a queue, or for none."""

    session: Session
    queue: str
    """Empty where each send names one."""
    settings: dict[str, int] = field(default_factory=lambda: dict(DEFAULTS))
    closed: bool = False


@dataclass(slots=True, eq=False)
class SendCall:
    """A call of send."""

    number: int
    producer: Producer
    queue: str
    options: Mapping[str, int]
    """Delivery mode, priority and time to live."""
    what: tuple[Any, ...]
    """The kind of message, and its body."""
    listener: Listener | None = None
    """None: it is synchronous."""
    first: SendCall | None = None
    """The send that had the same message first, if it was another one."""
    fate: MessageFate = MessageFate.SENT
    refused: str = ""
    """Why send() has raised an exception."""
    told: str = ""
    """The method that is known to have been called."""
    touched: bool = False
    """Whether its message was changed between the send and the callback."""
    ended: bool = False
    """Whether something was ended that has to wait for its callback."""
    received: bool = False

    @property
    def is_async(self) -> bool:
        """Whether it is reported to somebody."""
        return self.listener is not None and not self.refused

    @property
    def rank(self) -> tuple[int, int]:
        """What may let it overtake others: its priority, and its delivery mode."""
        return self.options["priority"], self.options["delivery_mode"]


@dataclass
class ModelApplication:
    """What one program has made."""

    simplified: bool = False
    """Whether it uses contexts."""
    of_vendor: bool = False
    """Whether it is judged by Starlight's document, which makes no promise of close()."""
    objects: dict[str, Any] = field(default_factory=dict)
    """By name."""
    sends: list[SendCall] = field(default_factory=list)
    """In the order of the calls."""
    closed: bool = False
    """Whether its connection is."""

    def of_kind(self, kind: type[T]) -> list[T]:
        """What it has made of a kind."""
        return [each for each in self.objects.values() if isinstance(each, kind)]

    @property
    def reports(self) -> Sequence[str]:
        """The statement that a send is reported by a callback, with its message."""
        return ["SLJ-ASY-001" if self.of_vendor else "JMS-ASY-001"]

    @property
    def all_closed(self) -> bool:
        """Whether nobody can send any more."""
        return self.closed or all(each.closed for each in self.of_kind(Session))

    def of_session(self, session: Session) -> Sequence[SendCall]:
        """The sends of a session."""
        return [each for each in self.sends if each.producer.session is session]

    def was_sent_again(self, send: SendCall) -> bool:
        """Whether a later send had the same message."""
        first = send.first or send
        return any(each.first is first and each.number > send.number for each in self.sends)

    def outstanding(self, session: Session) -> Sequence[SendCall]:
        """The asynchronous sends that may not have been reported yet."""
        return [
            each
            for each in self.of_session(session)
            if each.is_async and not (each.told or each.ended)
        ]

    def has_held_before(self, send: SendCall) -> bool:
        """Whether a callback is held that has to come before that of this send."""
        return any(
            each.listener is not None and each.listener.act == HELD and each is not send
            for each in self.outstanding(send.producer.session)
            if each.producer is send.producer and each.number < send.number
        )
