"""The messages of the reference without a broker: what is sent is encoded, and decoded again."""

from __future__ import annotations

from pulsar_jms.sessions.message_factory import MessageFactory
from sample_messages import received
from touchstone.drawn.driving import Disagreement, Driver


class _Session(MessageFactory):
    """It makes messages, and is always open."""

    def __init__(self) -> None:
        """Without a connection."""

    def check_open(self) -> None:
        """It is."""


def driver() -> Driver:
    """Runs programs on such messages."""
    return Driver(_Session(), received)  # type: ignore[arg-type]


def is_known(each: Disagreement) -> bool:
    """Names that are no identifiers are taken: a row of impl/DECISIONS.md."""
    return each.ids == {"JMS-PROP-001"}
