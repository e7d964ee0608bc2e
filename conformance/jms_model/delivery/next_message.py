"""Which message a consumer gets next, and what is wrong with another (JMS 2.0, 6.2.9, 6.2.10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from jms_model.delivery.backlog import Backlog, Copy, State
from jms_model.delivery.provider import Provider
from jms_model.delivery.session import FLAGGED, Consumer, Session


@dataclass
class NextMessage:
    """What a consumer may get now."""

    provider: Provider
    consumer: Consumer
    possible: Sequence[Copy] = field(init=False)
    """Any of these; where there are none, nothing has to come."""

    def __post_init__(self) -> None:
        self.possible = self.consumer.backlog.next(self.consumer.selector)

    @property
    def ids(self) -> Sequence[str]:
        """The statements that break when nothing comes."""
        return self.possible[0].ids

    @property
    def situation(self) -> str:
        """What decides, for people; also what may keep a broker from delivering what it has."""
        sessions = self.provider.of_kind(Session).values()
        pending = (each for session in sessions for each in session.produced)
        is_behind = any(self.consumer.backlog in of.backlogs for of in pending)
        behind = ", behind an open transaction" if is_behind else ""
        return f"of a message {self.possible[0].words}{behind}"

    @property
    def besides(self) -> Sequence[str]:
        """The statements that some other message would break."""
        others = self.provider.absent.keys() - {copy.sent.number for copy in self.possible}
        return [id_ for number in others for id_ in self.wrong(number)[0]]

    def wrong(self, number: object) -> tuple[Sequence[str], str]:
        """The statements that break when this comes instead, and what it is."""
        backlog, selector = self.consumer.backlog, self.consumer.selector
        if number is None:
            return (self.ids, "gave null") if self.possible else ([], "gave null")
        if not isinstance(number, int) or number not in self.provider.absent:
            return [], "gave a message that nobody sent"
        copy = backlog.copies.get(number)
        if copy is None:
            return _why_absent(self.provider, backlog, number)
        if copy.state is not State.WAITING:
            return copy.ids, f"gave a message {copy.words}"
        if selector not in (None, copy.sent.x):
            return ["JMS-SEL-003"], "gave a message that the selector leaves out"
        if backlog.restarted and self.possible:  # which comes first is no matter of its flag
            return [id_ for id_ in self.ids if id_ != FLAGGED], "gave a later message"
        return [_order(backlog, self.consumer)], "gave a later message"


def _why_absent(provider: Provider, backlog: Backlog, number: int) -> tuple[Sequence[str], str]:
    ids, words = provider.absent[number]
    if number <= backlog.replaces_until:
        return ["JMS-SUB-011"], "gave a message of the subscription that it replaced"
    if backlog.selector is not None and ids == ["JMS-SUB-003"]:
        return ["JMS-SUB-017"], "gave a message that the subscription has not"
    return ids, f"gave a message {words}"


def _order(backlog: Backlog, consumer: Consumer) -> str:
    if consumer.selector is not None:
        return "JMS-ORD-005"
    return "JMS-ORD-004" if backlog.is_queue else "JMS-ORD-001"
