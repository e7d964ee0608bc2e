"""Which message a consumer gets next, and what is wrong with another (JMS 2.0, 6.2.9, 6.2.10)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import eq

from jms_model.answers import Effect, Expectation, gives_what
from jms_model.delivery.backlog import Backlog, Copy, MessageState
from jms_model.delivery.choosing import chooses, words_of
from jms_model.delivery.provider import ModelProvider
from jms_model.delivery.session import FLAGGED, RECOVERED, Consumer, Session


@dataclass
class NextMessage:
    """What a consumer may get now."""

    provider: ModelProvider
    consumer: Consumer
    possible: Sequence[Copy] = field(init=False)
    """Any of these; where there are none, nothing has to come."""

    def __post_init__(self) -> None:
        self.possible = self.consumer.backlog.next(self.consumer)

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
        by = words_of(self.consumer.selector) if self.provider.side_by_side else ""
        return f"of a message {self.possible[0].words}{by}{behind}"

    @property
    def besides(self) -> Sequence[str]:
        """The statements that some other message would break."""
        others = self.provider.absent.keys() - {copy.sent.number for copy in self.possible}
        return [id_ for number in others for id_ in self.wrong(number)[0]]

    def wrong(self, number: object) -> tuple[Sequence[str], str]:
        """The statements that break when this comes instead, and what it is."""
        consumer, backlog = self.consumer, self.consumer.backlog
        if number is None:
            return (self.ids, "gave null") if self.possible else ([], "gave null")
        if not isinstance(number, int) or number not in self.provider.absent:
            return [], "gave a message that nobody sent"
        copy = backlog.copies.get(number)
        if copy is None:
            return _why_absent(self.provider, backlog, number)
        if copy.state is not MessageState.WAITING:
            taker = copy.taker
            if isinstance(taker, Consumer) and taker is not consumer and not taker.closed_by:
                return [_given_to_one(backlog)], "gave a message that another consumer has got"
            return copy.ids, f"gave a message {copy.words}"
        if not chooses(consumer.selector, copy.sent.kind):
            return ["JMS-SEL-003"], "gave a message that the selector leaves out"
        if backlog.restarted and self.possible:  # which comes first is no matter of its flag
            ids = [id_ for id_ in self.ids if id_ not in (FLAGGED, RECOVERED)]
            return ids, "gave a later message"
        return [_order(backlog, consumer)], _place(consumer, copy)


def one_of(
    every: Mapping[str, NextMessage],
    takes: Callable[[Consumer, Copy], Effect],
    nothing: str,
    *ids: str,
) -> Expectation | None:
    """The name of one of these consumers, and the number of what it gets.

    `nothing` says in words that none gets any, which is against `ids`, besides.
    """
    coming = [each for each in every.values() if each.possible]
    if not coming:
        return None

    def wrong(value: object) -> tuple[Sequence[str], str]:
        if not isinstance(value, tuple):
            return [*coming[0].ids, *ids], nothing
        name, number = value
        return every[name].wrong(number) if name in every else ([], "gave another's message")

    permitted = [
        gives_what(
            f"message {copy.sent.number} for {name}",
            partial(eq, (name, copy.sent.number)),
            takes(each.consumer, copy),
        )
        for name, each in every.items()
        for copy in each.possible
    ]
    return Expectation(
        permitted,
        [*coming[0].ids, *ids],
        coming[0].situation,
        besides=[id_ for each in every.values() for id_ in each.besides],
        accuse=lambda value: wrong(value)[0],
        name=lambda value: wrong(value)[1],
    )


def _why_absent(
    provider: ModelProvider, backlog: Backlog, number: int
) -> tuple[Sequence[str], str]:
    ids, words = provider.absent[number]
    if number in backlog.own:
        own = backlog.why_own(backlog.own[number])
        of = "connection" if "JMS-NLOC-001" in own else "client id"
        return own, f"gave a message of its own {of}"
    if number <= backlog.replaces_until:
        return [backlog.replaces_by], "gave a message of the subscription that it replaced"
    if number in backlog.left_out and provider.side_by_side:
        return _why_left_out(backlog), "gave a message that the subscription's selector leaves out"
    if backlog.selector and ids == ["JMS-SUB-003"] and not provider.side_by_side:
        return ["JMS-SUB-017"], "gave a message that the subscription has not"
    return ids, f"gave a message {words}"


def _why_left_out(backlog: Backlog) -> Sequence[str]:
    if backlog.is_durable:
        return ["JMS-SEL-068"]
    return ["JMS-SEL-068", "JMS-SUB-021" if backlog.is_shared else "JMS-SUB-017"]


def _given_to_one(backlog: Backlog) -> str:
    if backlog.is_queue:
        return "JMS-DEST-004"
    return "JMS-SUB-010" if backlog.is_durable else "JMS-SUB-019"


def _place(consumer: Consumer, copy: Copy) -> str:
    """In the words of one consumer, whatever other consumers got."""
    is_earlier = copy.sent.number < consumer.last.get(copy.sent.sender, 0)
    return f"gave {'an earlier' if is_earlier else 'a later'} message"


def _order(backlog: Backlog, consumer: Consumer) -> str:
    if consumer.selector or backlog.had_several:
        return "JMS-ORD-005"
    return "JMS-ORD-004" if backlog.is_queue else "JMS-ORD-001"
