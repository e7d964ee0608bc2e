"""Scenarios that a client runs for comparison: its document does not speak of what they judge."""

from __future__ import annotations

from collections.abc import Mapping

from touchstone.catalogue.items import Scenario
from touchstone.verdicts import Outcome, Verdict

_HOLDS = {Verdict.CONFORMS: "yes", Verdict.VIOLATES: "no", Verdict.DEVIATES: "no"}


def observe_statement(scenario: Scenario, requirement: str, outcome: Outcome) -> Mapping[str, str]:
    """What every portable scenario observes, whether or not the document speaks of the client.

    That is whether the statement holds, if it was seen.
    """
    if scenario.portable is None or outcome.verdict not in _HOLDS:
        return {}
    return {f"{requirement} holds": _HOLDS[outcome.verdict]}


def withhold_verdict(reason: str, outcome: Outcome) -> Outcome:
    """The outcome of a scenario on a client that its document does not speak of."""
    holds = _HOLDS.get(outcome.verdict)
    seen = {"yes": "its statement holds", "no": "its statement does not hold"}.get(holds or "")
    message = f": {outcome.message}" if outcome.message else ""
    return Outcome(
        Verdict.NOT_APPLICABLE,
        f"{reason}; run for comparison, {seen or 'nothing could be seen'}{message}",
    )
