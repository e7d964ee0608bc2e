"""A workload's history judged in this process, by the exact kernels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from jms_histories.definitions import CHECKS, FindingStrength
from touchstone.errors import HarnessError, UsageError

if TYPE_CHECKING:
    from jms_histories.columns import Columns

_SHOWN = 3
"""Findings that are told of one check."""


@dataclass(frozen=True)
class WorkloadVerdict:
    """What a workload's history shows of the checks that it promises.

    Findings that are only to be shown are not counted; power is what could have been found.
    `witnesses` has a text for each of the first findings: the shortest history that shows it.
    """

    findings: Mapping[str, int]
    power: Mapping[str, int]
    witnesses: Mapping[str, tuple[str, ...]]
    priorities: tuple[int, ...] = ()
    """Those of the messages that came for the first time, in the order in which they came."""

    def against(self, *checks: str) -> list[str]:
        """What speaks against these checks, in words; empty when nothing does.

        `UsageError` for one that the workload promises nothing about.
        """
        if unknown := [check for check in checks if check not in self.power]:
            raise UsageError(
                f"The workload promises nothing about {', '.join(unknown)}",
                hint=f"It promises {', '.join(self.power)}.",
            )
        return [
            f"{check} {CHECKS[check].name}: {self.findings[check]} of {self.power[check]}:\n"
            + "\n".join(self.witnesses[check])
            for check in checks
            if self.findings[check]
        ]

    def with_power(self, least: int, *checks: str) -> WorkloadVerdict:
        """The same, if each of these checks could have found so much; else `HarnessError`."""
        for check in checks:
            if self.power[check] < least:
                raise HarnessError(
                    f"{check} could only have found {self.power[check]} things of {least} declared",
                    hint="Nothing is concluded from too little: send more messages.",
                )
        return self

    def least_power(self, *checks: str) -> int:
        """The smallest power of these checks."""
        return min(self.power[check] for check in checks)


def judge_history(history: Path) -> WorkloadVerdict:
    """Judge a sealed history that fits into memory. Raises HistoryError."""
    from jms_histories.columns import take  # with NumPy and Arrow, for those who need them
    from jms_histories.history.reader import open_history
    from jms_histories.kernels.whole import judge
    from jms_histories.kernels.witnesses.describing import describe_witness
    from jms_histories.kernels.witnesses.shortest import first_findings, witnesses

    opened = open_history(history)
    promised = [check for check in opened.manifest.checks if check in CHECKS]
    sends, deliveries, spec = opened.all_sends(), opened.all_deliveries(), opened.spec
    judgement = judge(sends, deliveries, spec, promised)
    decisive = take(judgement.rows, ~judgement.rows["should"])
    shown = witnesses(first_findings(decisive, _SHOWN), sends, deliveries, spec)
    binding = {check: CHECKS[check].strength is FindingStrength.MUST for check in promised}
    return WorkloadVerdict(
        {check: judgement.counts.get(check, 0) if binding[check] else 0 for check in promised},
        {check: judgement.power.get(check, 0) for check in promised},
        {
            check: tuple(
                describe_witness(witness) for witness in shown if witness.finding["check"] == check
            )
            for check in promised
        },
        _priorities(deliveries),
    )


def _priorities(deliveries: Columns) -> tuple[int, ...]:
    import numpy as np

    from jms_histories.columns import take

    fresh = take(deliveries, (deliveries["redelivered"] == 0) & (deliveries["sub"] >= 0))
    order = np.lexsort((fresh["ridx"], fresh["session"], fresh["t_enter"]))
    return tuple(fresh["priority"][order].tolist())
