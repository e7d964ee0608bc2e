"""How a verdict is written for people: a symbol and words, so that colour is never needed."""

from __future__ import annotations

from touchstone_reports.verdicts import Verdict

SYMBOL = {
    Verdict.VIOLATES: "✗",
    Verdict.INCONCLUSIVE: "?",
    Verdict.DEVIATES: "≈",
    Verdict.CONFORMS: "✓",
    Verdict.NOT_APPLICABLE: "\N{EN DASH}",
}
WORDS = {
    Verdict.VIOLATES: "violates",
    Verdict.INCONCLUSIVE: "inconclusive",
    Verdict.DEVIATES: "deviates as documented",
    Verdict.CONFORMS: "conforms",
    Verdict.NOT_APPLICABLE: "not applicable",
}
PLURAL = WORDS | {
    Verdict.VIOLATES: "violate",
    Verdict.DEVIATES: "deviate as documented",
    Verdict.CONFORMS: "conform",
}


def count_text(verdict: Verdict, count: int) -> str:
    """The words that follow a number of requirements."""
    return WORDS[verdict] if count == 1 else PLURAL[verdict]
