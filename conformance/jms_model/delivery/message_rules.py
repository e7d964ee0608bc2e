"""Received messages: acknowledged, and read (JMS 2.0, 3.4, 3.5.9 and 6.2.10)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from jms_model.answers import Answer, Expectation, Gave, Permitted, gives, raises, succeeds
from jms_model.delivery.backlog import MessageState
from jms_model.delivery.choosing import HEADERS, content_of
from jms_model.delivery.provider import ModelProvider
from jms_model.delivery.session import CLIENT, Received
from jms_model.delivery.session_rules import acknowledge_all
from jms_model.delivery.vendors import INDIVIDUAL
from jmsapi.errors import IllegalStateException

CHANGED: Final = "changed"
"""What an application writes into a message that it got."""
_STATE_HIDDEN: Final = "JMS-PROP-053"
"""The statement that JMSXState is for providers alone."""
_PARTS: Final = ("text", "property", *HEADERS, "JMSReplyTo")
_AS_NEW: Final = frozenset({"JMS-CONS-008", "JMS-CTX-012", "JMS-BRW-001"})
"""The statements by which a message comes as if it had never been delivered."""


def acknowledge(provider: ModelProvider, message: Received) -> Expectation | None:
    """All that its session got is settled; what an older message's does JMS leaves open."""
    session = message.session
    if session.mode not in (CLIENT, INDIVIDUAL):
        if session.closed_by:
            return None
        ids = ["JMS-ACK-006"]
        return Expectation([succeeds(partial(session.spares, ids))], ids, "in another mode")
    if session.closed_by:
        ids = ["JMS-ACK-009" if session.closed_by == "connection" else "JMS-SESS-005"]
        situation = f"behind close of the {session.closed_by}"
        return Expectation([raises(IllegalStateException)], ids, situation)
    if message.copy.deliveries != message.deliveries or message.copy.state is MessageState.WAITING:
        return None
    if session.mode == INDIVIDUAL or provider.vendor.settles_up_to:
        return _settles_some(provider, message)
    settled = acknowledge_all(provider, session, "JMS-ACK-001", message.copy)
    settled.situation = "of a closed consumer's message" if message.consumer.closed_by else ""
    return settled


def _settles_some(provider: ModelProvider, message: Received) -> Expectation | None:
    """The message is settled, and what came before it where a vendor's documents say so."""
    vendor, session = provider.vendor, message.session
    held = [copy for _, copy in session.held]
    if message.copy not in held or message.consumer.closed_by:
        return None
    if session.mode == INDIVIDUAL:
        copies, ids, left = [message.copy], vendor.settles_one, vendor.leaves_others
    else:
        copies = held[: held.index(message.copy) + 1]
        ids, left = vendor.settles_up_to, vendor.leaves_later
    settle = partial(session.settles_some, copies, ids, left)
    return Expectation([succeeds(settle)], ids, "in a vendor's way")


def delivery(_: ModelProvider, message: Received) -> Expectation | None:
    """JMSRedelivered and JMSXDeliveryCount, unless the application cleared the properties."""
    if message.changed:
        return None
    least, most = message.deliveries, message.deliveries + message.unseen

    def seen(value: object) -> tuple[Sequence[str], str]:
        """The statements that other values break, and what they are."""
        flag, count = value if isinstance(value, tuple) else (None, None)
        if not isinstance(count, int):
            return ["JMS-REDL-002"], "gave no count"
        if most > 1 and not flag and (least > 1 or count > 1):
            return ["JMS-REDL-001", *message.ids], "gave false"
        if flag and count < 2:
            return ["JMS-REDL-004"], "gave true, and no repeat"
        if least == 1:
            return ["JMS-REDL-003", *(_AS_NEW & {*message.ids})], "gave a repeat"
        words = "gave too few" if count < least else "gave too many"
        return ["JMS-REDL-003", *message.ids], words

    def holds(answer: Answer) -> bool:
        if not isinstance(answer, Gave) or not isinstance(answer.value, tuple):
            return False
        flag, count = answer.value
        return isinstance(count, int) and least <= count <= most and flag is (count > 1)

    words = " or ".join(f"{str(n > 1).lower()} and {n}" for n in range(least, most + 1))
    ids = ["JMS-REDL-001", "JMS-REDL-003", *message.ids] if least > 1 else ["JMS-REDL-003"]
    return Expectation(
        [Permitted(words, holds)],
        ["JMS-REDL-002", "JMS-REDL-004", *ids],
        _situation(message),
        accuse=lambda value: seen(value)[0],
        name=lambda value: seen(value)[1],
    )


def _situation(message: Received) -> str:
    if message.deliveries == 1:
        return "of a message that came first"
    kind = "message" if message.consumer.backlog.is_queue else "topic's message"
    left = ", once left by a closed consumer" if message.copy.left else ""
    return f"of a {kind} {message.words}{left}"


def text(_: ModelProvider, message: Received) -> Expectation:
    """The body, whatever was done to an earlier copy."""
    if message.changed:
        return Expectation([gives(CHANGED)], [])
    again = message.deliveries > 1
    ids = ["JMS-REDL-014"] if again else ["JMS-BODY-001"]
    situation = "of a message that comes again" if again else ""
    return Expectation([gives(message.copy.sent.text)], ids, situation)


def content(_: ModelProvider, message: Received) -> Expectation | None:
    """All that the application sent, and nothing that only the provider may know."""
    if message.changed:
        return None
    sent = message.copy.sent
    expected = content_of(sent.text, sent.number, sent.kind)
    again = message.deliveries > 1
    new = ["JMS-BODY-001", "JMS-PROP-011", "JMS-HDR-017", "JMS-HDR-013", "JMS-HDR-015"]
    ids = ["JMS-REDL-014"] * len(new) if again else new
    statements = (*zip(ids, _PARTS, strict=False), (_STATE_HIDDEN, "JMSXState"))

    def wrong(value: object) -> tuple[str, str]:
        """The statement that other content breaks, and which part of it does."""
        given = value if isinstance(value, tuple) else ()
        pairs = zip(given, expected, strict=False)
        at = next((number for number, (first, second) in enumerate(pairs) if first != second), 0)
        return statements[at]

    return Expectation(
        [gives(expected)],
        [*dict.fromkeys(id_ for id_, _ in statements)],
        "of a message that comes again" if again else "",
        accuse=lambda value: [wrong(value)[0]],
        name=lambda value: f"gave another {wrong(value)[1]}",
    )


def change(_: ModelProvider, message: Received) -> Expectation:
    """The application writes into its copy."""
    return Expectation([succeeds(partial(setattr, message, "changed", True))], [])
