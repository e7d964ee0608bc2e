"""From findings to verdicts, check by check."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from jms_histories.columns import Findings
from jms_histories.definitions import CHECKS, FindingStrength
from jms_histories.verdicts import HistoryVerdict


@dataclass(frozen=True)
class Count:
    """What was found of one check.

    violations decide, unless the check is a metric; capped: not all findings are kept as rows.
    verdict is None where nothing is promised, and of a metric that could be measured; reason says
    why it is INCONCLUSIVE.
    """

    check: str
    violations: int
    shoulds: int
    power: int
    capped: bool
    promised: bool
    verdict: HistoryVerdict | None
    reason: str | None


def counts(
    findings: Findings, promised: Collection[str], checks: Iterable[str], *, cut: bool
) -> list[Count]:
    """What was found of some checks, by a workload that promises some; cut: of a record that is."""
    lost = ", of whose record a part is lost," if cut else ""
    powerless = f"nothing in this history{lost} could have shown it (power 0)"
    kept: dict[str, int] = {}
    for check in findings.rows["check"].tolist():
        kept[check] = kept.get(check, 0) + 1
    result = []
    for check in checks:
        violations, shoulds = findings.counts.get(check, 0), findings.shoulds.get(check, 0)
        power = findings.power.get(check, 0)
        verdict = _verdict(check, violations, power) if check in promised else None
        result.append(
            Count(
                check,
                violations,
                shoulds,
                power,
                capped=kept.get(check, 0) < violations + shoulds,
                promised=check in promised,
                verdict=verdict,
                reason=powerless if verdict is HistoryVerdict.INCONCLUSIVE else None,
            )
        )
    return result


def _verdict(check: str, violations: int, power: int) -> HistoryVerdict | None:
    if CHECKS[check].strength is FindingStrength.METRIC:
        return None if power else HistoryVerdict.INCONCLUSIVE
    if violations:
        return HistoryVerdict.VIOLATES
    return HistoryVerdict.CONFORMS if power else HistoryVerdict.INCONCLUSIVE


def overall_verdict(judged: Iterable[Count]) -> HistoryVerdict:
    """The worst verdict; INCONCLUSIVE if nothing was judged."""
    given = {count.verdict for count in judged}
    return next(
        (verdict for verdict in HistoryVerdict if verdict in given), HistoryVerdict.INCONCLUSIVE
    )
