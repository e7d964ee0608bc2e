"""Scenarios with a deviation that happens only sometimes: run until both outcomes were seen."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from _pytest.runner import runtestprotocol

from touchstone.verdicts import Verdict

TRIES = 10
PATIENCE = 60.0
"""Seconds after which no further try begins."""
UNDECIDED = "touchstone-undecided"
"""The property of a report whose scenario was not tried often enough to call an entry stale."""


def repeat(
    item: pytest.Function,
    nextitem: pytest.Item | None,
    verdict_of: Callable[[list[pytest.TestReport]], Verdict | None],
) -> None:
    """Run `item` up to `TRIES` times and log one run: the worst, or the deviation if there was one.

    It ends early when both outcomes were seen, when one is neither of the two, or when the tries
    have taken `PATIENCE`; the last is told by a property of the report.
    """
    begun = time.monotonic()
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    runs: dict[Verdict | None, list[pytest.TestReport]] = {}
    expected = {Verdict.CONFORMS, Verdict.DEVIATES}
    for _ in range(TRIES):
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
        runs[verdict_of(reports)] = reports
        if runs.keys() - expected or runs.keys() == expected:
            break
        if time.monotonic() - begun > PATIENCE:
            reports[-1].user_properties.append((UNDECIDED, True))
            break
    unexpected = next((reports for verdict, reports in runs.items() if verdict not in expected), [])
    for report in unexpected or runs.get(Verdict.DEVIATES) or runs[Verdict.CONFORMS]:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
