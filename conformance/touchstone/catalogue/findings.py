"""What known deviations call a defect of a client: a finding for each reason, and its state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from touchstone.catalogue.confirmations import Confirmation, ConfirmationOutcome
from touchstone.catalogue.deviations import Deviation

DEFECT = "known-defect"
NOT_TRIED = "not tried"
STATES = (*(each.value for each in ConfirmationOutcome), NOT_TRIED)
"""What may have come of a finding in plain Java."""


@dataclass(frozen=True)
class Finding:
    """One reason for which a client does not keep statements."""

    entries: Sequence[Deviation]
    """One at least, all of one file."""
    confirmations: Sequence[Confirmation]
    """What plain Java has shown of them."""

    @property
    def file(self) -> str:
        """The file that says so."""
        return self.entries[0].file

    @property
    def reason(self) -> str:
        """What the client does."""
        return self.entries[0].reason

    @property
    def requirements(self) -> Sequence[str]:
        """The statements that it does not keep, each once."""
        return sorted({entry.requirement for entry in self.entries})

    @property
    def links(self) -> Sequence[str]:
        """Where it is known upstream."""
        return sorted({entry.link for entry in self.entries if entry.link})

    @property
    def faults(self) -> Sequence[str]:
        """Whose it is."""
        return sorted({entry.fault for entry in self.entries})

    @property
    def options(self) -> Sequence[str]:
        """The settings of the client that mend it, each as NAME=VALUE."""
        return sorted({entry.option for entry in self.entries if entry.option})

    @property
    def state(self) -> str:
        """The best that came of its cases, or that none was tried."""
        outcomes = {each.outcome for each in self.confirmations}
        return next((each.value for each in ConfirmationOutcome if each in outcomes), NOT_TRIED)

    @property
    def why(self) -> str:
        """Why there is no program, where no case has one."""
        beyond = self.state == ConfirmationOutcome.NOT_EXPRESSIBLE
        return next((each.why for each in self.confirmations), "") if beyond else ""


def findings(
    entries: Iterable[Deviation], confirmations: Mapping[str, Sequence[Confirmation]]
) -> Sequence[Finding]:
    """The defects among the entries, in the order of their files."""
    by_reason: dict[tuple[str, str], list[Deviation]] = {}
    for entry in entries:
        if entry.kind == DEFECT:
            by_reason.setdefault((entry.file, entry.reason), []).append(entry)
    return [
        Finding(
            of_reason,
            [
                each
                for each in confirmations.get(file, ())
                if any(each.is_of(entry) for entry in of_reason)
            ],
        )
        for (file, _), of_reason in by_reason.items()
    ]


def count_states(found: Iterable[Finding]) -> Mapping[str, Counter[str]]:
    """How many findings of each file are in which state."""
    counts: dict[str, Counter[str]] = {}
    for finding in found:
        counts.setdefault(finding.file, Counter())[finding.state] += 1
    return counts
