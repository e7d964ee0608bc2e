"""The five verdicts and their order; the harness gives them, the reports show them."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


class Verdict(StrEnum):
    """What a scenario showed about a requirement, worst first, by the name that results carry."""

    VIOLATES = "VIOLATES"
    INCONCLUSIVE = "INCONCLUSIVE"
    DEVIATES = "DEVIATES-AS-DOCUMENTED"
    CONFORMS = "CONFORMS"
    NOT_APPLICABLE = "NOT-APPLICABLE"


JUDGED = frozenset({Verdict.VIOLATES, Verdict.DEVIATES, Verdict.CONFORMS})
"""What says something of a client; by the other two it was not judged."""
UNEXPECTED = frozenset({Verdict.VIOLATES, Verdict.INCONCLUSIVE})
"""What somebody has to look at."""

_RANK = {verdict: rank for rank, verdict in enumerate(Verdict)}


def rank(verdict: Verdict) -> int:
    """Place of a verdict in the order worst first, from 0."""
    return _RANK[verdict]


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The worst of `verdicts`; of none it is INCONCLUSIVE, since nothing was judged."""
    return min(verdicts, key=rank, default=Verdict.INCONCLUSIVE)
