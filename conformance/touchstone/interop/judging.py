"""What an exchange showed: the fields that differ, and whether a deviation explains them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from touchstone.catalogue.deviations import EXCHANGE, Deviation, Subject
from touchstone.interop.expectations import ABSENT, Expected
from touchstone.verdicts import Verdict, worst


@dataclass(frozen=True)
class FieldDifference:
    """A field that was seen otherwise than it has to be; `entry` explains it."""

    field: str
    requirement: str
    expected: str
    seen: str
    entry: Deviation | None = None

    @property
    def message(self) -> str:
        """The difference in one line, as deviations name it."""
        return f"{self.field} is {self.seen} instead of {self.expected}"

    @property
    def verdict(self) -> Verdict:
        """DEVIATES where it is explained, otherwise VIOLATES."""
        return Verdict.DEVIATES if self.entry else Verdict.VIOLATES

    def as_dict(self) -> dict[str, Any]:
        """Plain data, as the results carry it."""
        return {
            "field": self.field,
            "requirement": self.requirement,
            "expected": self.expected,
            "seen": self.seen,
            "verdict": self.verdict.value,
            "deviation": self.entry.as_dict() if self.entry else None,
        }


@dataclass(frozen=True)
class PairSide:
    """One side of a pair: as asked for, and what deviations are matched against."""

    name: str
    subject: Subject


@dataclass(frozen=True)
class PairExchange:
    """One message, or one thing done together, between a producer and a consumer."""

    name: str
    producer: str
    consumer: str
    requirements: Mapping[str, str]
    """By the name of each field that was compared."""
    differences: tuple[FieldDifference, ...] = ()
    unjudged: str = ""
    """Why nothing can be said."""
    left_out: str = ""
    """Why this pair has no such exchange."""

    @property
    def id(self) -> str:
        """What deviations and results call it."""
        return EXCHANGE + self.name

    @property
    def verdict(self) -> Verdict:
        """The worst of its differences; CONFORMS without any."""
        if self.unjudged:
            return Verdict.INCONCLUSIVE
        if self.left_out:
            return Verdict.NOT_APPLICABLE
        return worst([Verdict.CONFORMS, *(each.verdict for each in self.differences)])

    @property
    def reason(self) -> str | None:
        """What a verdict other than CONFORMS is given for."""
        told = "; ".join(each.message for each in self.differences)
        return self.unjudged or self.left_out or told or None

    def as_dict(self) -> dict[str, Any]:
        """Plain data, as the results carry it."""
        return {
            "format": 1,
            "exchange": self.id,
            "producer": self.producer,
            "consumer": self.consumer,
            "verdict": self.verdict.value,
            "reason": self.reason,
            "fields": len(self.requirements),
            "differences": [each.as_dict() for each in self.differences],
        }


def compared(expected: Expected, view: Mapping[str, str]) -> tuple[FieldDifference, ...]:
    """The expected fields that the view shows otherwise, or not at all."""
    return tuple(
        FieldDifference(field, requirement, value, view.get(field, ABSENT))
        for field, (value, requirement) in expected.items()
        if view.get(field, ABSENT) != value
    )


def unless(doubt: str | None, exchange: PairExchange) -> PairExchange:
    """The exchange as it is, or, where it differs and something else may be why, not judged."""
    if doubt is None or not exchange.differences:
        return exchange
    return replace(exchange, differences=(), unjudged=f"{exchange.reason}; {doubt}")


def explained(
    differences: Iterable[FieldDifference],
    name: str,
    producer: PairSide,
    consumer: PairSide,
    known: Sequence[Deviation],
) -> tuple[FieldDifference, ...]:
    """The differences, each with the entry that explains it, if there is one."""
    sides = (("producer", producer.subject), ("consumer", consumer.subject))

    def entry_of(difference: FieldDifference) -> Deviation | None:
        return next(
            (
                entry
                for entry in known
                if entry.of_exchange
                and speaks_of(entry, name, difference.field, difference.requirement)
                and entry.expects(difference.message)
                and any(entry.role in ("", role) and entry.concerns(who) for role, who in sides)
            ),
            None,
        )

    return tuple(
        FieldDifference(
            difference.field,
            difference.requirement,
            difference.expected,
            difference.seen,
            entry_of(difference),
        )
        for difference in differences
    )


def speaks_of(entry: Deviation, name: str, field: str, requirement: str) -> bool:
    """Whether the entry is about this field, or all of this requirement, in the exchange `name`.

    A name that ends with `*` stands for all that begin so: `exchange/group-*`.
    """
    stem, star, _ = entry.scenario.partition("*")
    if star:
        return entry.requirement == requirement and f"{EXCHANGE}{name}".startswith(stem)
    return entry.speaks_of(f"{EXCHANGE}{name}[{field}]", requirement)


def stale(
    known: Iterable[Deviation], exchanges: Sequence[PairExchange], clients: Sequence[PairSide]
) -> list[Deviation]:
    """The entries about exchanges of these clients that explained nothing although all was judged.

    An entry about exchanges that this run did not have, or could not judge, is left alone.
    """
    used = {
        id(difference.entry)
        for exchange in exchanges
        for difference in exchange.differences
        if difference.entry is not None
    }
    subjects = {client.name: client.subject for client in clients}

    def judged(entry: Deviation) -> list[bool]:
        return [
            not exchange.unjudged
            for exchange in exchanges
            if any(
                entry.role in ("", role) and entry.concerns(subjects[name])
                for role, name in (
                    ("producer", exchange.producer),
                    ("consumer", exchange.consumer),
                )
            )
            and any(
                speaks_of(entry, exchange.name, field, id_)
                for field, id_ in exchange.requirements.items()
            )
        ]

    return [
        entry
        for entry in known
        if entry.of_exchange and id(entry) not in used and (of := judged(entry)) and all(of)
    ]
