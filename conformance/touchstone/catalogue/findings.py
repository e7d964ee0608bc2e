"""What known deviations call a defect of a client: a finding for each reason, the worst first."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from jms_clients.registry import load_provider
from touchstone.catalogue.confirmations import (
    Confirmation,
    ConfirmationOutcome,
    load_confirmations,
)
from touchstone.catalogue.deviation_files import load_deviations
from touchstone.catalogue.deviations import Deviation, is_upstream
from touchstone.catalogue.effects import WORST_FIRST, Effect, rank
from touchstone.catalogue.registry import Library
from touchstone.catalogue.versions import ANY

DEFECT = "known-defect"
BY_HAND = "confirmed by hand"
NOT_TRIED = "not tried"
_CONFIRMED, *_UNCONFIRMED = (each.value for each in ConfirmationOutcome)
STATES = (_CONFIRMED, BY_HAND, *_UNCONFIRMED, NOT_TRIED)
"""What may have come of a finding in plain Java."""
_PROGRAM: Final = re.compile(r"\bdocs/(?:evidence|control)/[\w/]+\.java\b")
"""Programs that were written by hand, as reasons name them."""


@dataclass(frozen=True)
class Finding:
    """One reason for which a client does not keep statements."""

    entries: Sequence[Deviation]
    """One at least, all of one file."""
    confirmations: Sequence[Confirmation]
    """What plain Java has shown of them."""
    mended_in: str = ""
    """The first release that was judged and does not do so any more; empty where all do."""

    @property
    def client(self) -> str:
        """Who does so: the provider, the bounds of its version, the family of brokers."""
        one = self.entries[0]
        on = f"on {one.broker}" if one.broker else ""
        return " ".join(filter(None, (one.provider, one.version.text, on)))

    @property
    def effect(self) -> Effect | None:
        """The worst that a user suffers; none where no entry says it."""
        said = {entry.effect for entry in self.entries}
        return next((effect for effect in WORST_FIRST if effect in said), None)

    @property
    def searched(self) -> datetime.date | None:
        """When it was last searched upstream in vain; none where it is known or not searched."""
        days = [entry.searched for entry in self.entries if entry.searched]
        return max(days) if days and not self.links else None

    @property
    def file(self) -> str:
        """The file that says so."""
        return self.entries[0].file

    @property
    def reason(self) -> str:
        """What the client does."""
        return self.entries[0].reason

    @property
    def kind(self) -> str:
        """The class of its entries: a defect, or how else they are to be taken."""
        return self.entries[0].kind

    @property
    def requirements(self) -> Sequence[str]:
        """The statements that it does not keep, each once."""
        return sorted({entry.requirement for entry in self.entries})

    @property
    def links(self) -> Sequence[str]:
        """Where it is known upstream."""
        return sorted({entry.link for entry in self.entries if is_upstream(entry.link)})

    @property
    def upstream(self) -> str:
        """Where it is known upstream, or that it is not, or that nobody has looked."""
        if self.links:
            return " ".join(self.links)
        return f"unknown upstream, {self.searched}" if self.searched else "not searched"

    @property
    def faults(self) -> Sequence[str]:
        """Whose it is."""
        return sorted({entry.fault for entry in self.entries})

    @property
    def options(self) -> Sequence[str]:
        """The settings of the client that mend it, each as NAME=VALUE."""
        return sorted({entry.option for entry in self.entries if entry.option})

    @property
    def programs(self) -> Sequence[str]:
        """The programs that were written by hand to show it, as paths in the checkout."""
        return list(dict.fromkeys(_PROGRAM.findall(self.reason)))

    @property
    def state(self) -> str:
        """The best that came of its cases, or that none was tried; a program that was written by
        hand is worth less than one that is made and run again, and more than none."""
        states = {each.outcome.value for each in self.confirmations}
        if self.programs:
            states.add(BY_HAND)
        return next((state for state in STATES if state in states), NOT_TRIED)

    @property
    def why(self) -> str:
        """Why there is no program, or why it does not show it, where no case has one that does."""
        of_state = (each for each in self.confirmations if each.outcome.value == self.state)
        return next((each.why for each in of_state if each.why), "")


def known_findings(library: Library) -> Sequence[Finding]:
    """The defects that the catalogues know, as plain Java and the releases that were judged say."""
    return findings(load_deviations(library), load_confirmations(library), _judged_releases)


def findings(
    entries: Iterable[Deviation],
    confirmations: Mapping[str, Sequence[Confirmation]],
    releases: Callable[[str], Sequence[str]] = lambda provider: (),
) -> Sequence[Finding]:
    """The defects among the entries, the worst first, and else in the order of their files.

    `releases` gives those of a provider that were judged, the oldest first.
    """
    defects = [entry for entry in entries if entry.kind == DEFECT]
    by_reason: dict[tuple[str, str], list[Deviation]] = {}
    for entry in defects:
        by_reason.setdefault((entry.file, entry.reason), []).append(entry)
    found = []
    for (file, _), of_reason in by_reason.items():
        rows = [
            row
            for row in confirmations.get(file, ())
            if any(row.is_of(entry) for entry in of_reason)
        ]
        mended = _mended_in(of_reason, defects, releases) or _later_control(of_reason, rows)
        found.append(Finding(of_reason, rows, mended))
    return worst_first(found)


def worst_first(found: Iterable[Finding]) -> Sequence[Finding]:
    """By what a user suffers; those whose entries do not say it come last."""
    return sorted(found, key=lambda one: rank(one.effect))


def _mended_in(
    of_reason: Sequence[Deviation],
    defects: Sequence[Deviation],
    releases: Callable[[str], Sequence[str]],
) -> str:
    """The first release behind all of the reason's, if no other reason has it fail there."""
    if any(entry.version == ANY for entry in of_reason):
        return ""
    places = {(entry.provider, entry.requirement, entry.scenario) for entry in of_reason}
    beside = [
        each for each in defects if (each.provider, each.requirement, each.scenario) in places
    ]
    judged = releases(of_reason[0].provider)
    has_it = [any(entry.version.holds(each) for entry in of_reason) for each in judged]
    if True not in has_it:
        return ""
    behind = judged[len(has_it) - has_it[::-1].index(True) :]
    fails = bool(behind) and any(entry.version.holds(behind[0]) for entry in beside)
    return "" if fails else next(iter(behind), "")


def _later_control(of_reason: Sequence[Deviation], rows: Iterable[Confirmation]) -> str:
    """The release of the same client that was the control, and so does not show it any more."""
    if any(entry.version == ANY for entry in of_reason):
        return ""
    mended = (row.mended_in(of_reason[0].provider) for row in rows)
    return next(filter(None, mended), "")


def _judged_releases(provider: str) -> Sequence[str]:
    known = load_provider(provider)
    return getattr(known, "judged_releases", (known.version,))


def count_by_file(found: Iterable[Finding], field: str) -> Mapping[str, Counter[Any]]:
    """How many findings of each file have which value of this field: state, or effect."""
    counts: dict[str, Counter[Any]] = {}
    for finding in found:
        counts.setdefault(finding.file, Counter())[getattr(finding, field)] += 1
    return counts
