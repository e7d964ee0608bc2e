"""What a failure prints: the statement, what was expected and seen, the trace, and how to rerun."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from touchstone.catalogue import Requirement
from touchstone.judging.plan import RunPlan
from touchstone.judging.state import ScenarioState
from touchstone.verdicts import Outcome, Verdict

_TRACE_LINES = 12
_GOOD = (Verdict.CONFORMS, Verdict.DEVIATES, Verdict.NOT_APPLICABLE)


def explanation(
    state: ScenarioState,
    outcomes: Mapping[str, tuple[Outcome, Any]],
    plan: RunPlan,
    report: pytest.TestReport,
) -> str:
    """The text for people about a scenario that violates or is inconclusive."""
    parts = [f"{state.scenario.id}: {state.scenario.shows}"]
    for id_, (outcome, _) in outcomes.items():
        if outcome.verdict not in _GOOD:
            parts.append(_requirement(plan.library.requirements[id_], outcome))
            drawn_by = state.judgement.drawn_by.get(id_)
            parts.append(f"  rerun:    {plan.options.rerun(state.scenario.id, drawn_by)}")
    lines = state.trace.lines()
    if len(lines) > _TRACE_LINES:
        parts.append(f"  trace (the last {_TRACE_LINES} of {len(lines)} events):")
    elif lines:
        parts.append("  trace:")
    parts += [f"    {_event(json.loads(line))}" for line in lines[-_TRACE_LINES:]]
    if report.longreprtext and not state.message_suffices:
        parts += ["", report.longreprtext]
    return "\n".join(parts)


def _requirement(requirement: Requirement, outcome: Outcome) -> str:
    sources = "; ".join(dict.fromkeys(str(source) for source in requirement.source))
    verdict = outcome.verdict.value
    if requirement.strength.value != "must":
        verdict += f" ({requirement.strength})"
    lines = [
        f"{verdict} {requirement.id}: {requirement.statement}",
        f"  source:   {sources}",
        f"  reason:   {outcome.message}",
    ]
    if outcome.expected is not None:
        lines.append(f"  expected: {outcome.expected}")
        lines.append(f"  seen:     {outcome.seen}")
    return "\n".join(lines)


def _event(event: Mapping[str, Any]) -> str:
    if event["event"] == "dropped":
        return f"and {event['count']} more"
    text = f"{event['at']:9.4f} s  {event['on']}.{event['what']}"
    if "given" in event:
        text += f" {json.dumps(event['given'], ensure_ascii=False)[:160]}"
    if "got" in event:
        text += f" -> {json.dumps(event['got'], ensure_ascii=False)[:160]}"
    return text if event["event"] in ("call", "set") else f"{text}  ({event['event']})"
