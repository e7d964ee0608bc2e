"""What became of a wrong client, and what of that the right one takes back: pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, replace

from jms_clients.mutants.mutant import Mutant
from touchstone.verdicts import Verdict


@dataclass(frozen=True)
class Notice:
    """A scenario that found a client in violation of a requirement."""

    requirement: str
    scenario: str
    reason: str


@dataclass(frozen=True)
class Proof:
    """What became of one wrong client."""

    mutant: Mutant
    notices: tuple[Notice, ...]
    """Of its ids alone, as far as its run went."""
    problem: str
    seconds: float
    printed: str = ""
    """What its run printed, if that was not enough."""
    hunted: bool = False
    """Whether its ids were hunted, since its run had not noticed it."""

    @property
    def noticed_by(self) -> tuple[str, ...]:
        """Its ids that were VIOLATES."""
        broken = {notice.requirement for notice in self.notices}
        return tuple(id_ for id_ in self.mutant.violates if id_ in broken)

    @property
    def noticing(self) -> tuple[str, ...]:
        """The scenarios that were the first to notice it, one for each of its ids."""
        first = {notice.requirement: notice.scenario for notice in reversed(self.notices)}
        return tuple(sorted({*first.values()}))

    @property
    def is_undecided(self) -> bool:
        """Whether it went unnoticed where a scenario could not say anything."""
        return Verdict.INCONCLUSIVE.value in self.problem

    def controlled(self, right: Mapping[tuple[str, str], str]) -> Proof:
        """The same proof without what the right client does not pass, which is in `right`.

        That is a reason for each scenario and requirement.
        """
        held = tuple(n for n in self.notices if (n.scenario, n.requirement) not in right)
        proof = replace(self, notices=held)
        if self.problem or held == self.notices or enough(self.mutant, proof.noticed_by):
            return proof
        void = next(n for n in self.notices if n not in held)
        why = right[void.scenario, void.requirement]
        told = f"the right client does not pass {void.scenario} either: {why}"
        return replace(proof, problem=told)

    def as_dict(self) -> dict[str, object]:
        """Plain data for JSON."""
        return {
            "mutant": self.mutant.name,
            "area": self.mutant.area,
            "doc": self.mutant.doc,
            "violates": list(self.mutant.violates),
            "noticed_by": list(self.noticed_by),
            "notices": [asdict(notice) for notice in self.notices],
            "hunted": self.hunted,
            "problem": self.problem or None,
            "seconds": round(self.seconds, 3),
        }


def enough(mutant: Mutant, noticed: Sequence[str]) -> bool:
    """Whether these of its ids are what it has to be noticed by."""
    return tuple(noticed) == mutant.violates if mutant.scenarios else bool(noticed)


def parts_of_control(proofs: Iterable[Proof], most: int) -> list[tuple[str, tuple[Notice, ...]]]:
    """What noticed wrong clients, once each, in at most so many parts for each right client."""
    notices_of: dict[str, dict[tuple[str, str], Notice]] = {}
    for proof in proofs:
        for notice in proof.notices:
            notices_of.setdefault(proof.mutant.provider, {})[
                notice.scenario, notice.requirement
            ] = notice
    by_name = {
        provider: sorted(each.values(), key=astuple) for provider, each in notices_of.items()
    }
    return [
        (provider, part)
        for provider, notices in by_name.items()
        for first in range(most)
        if (part := tuple(notices[first::most]))
    ]
