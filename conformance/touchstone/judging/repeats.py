"""Scenarios with a deviation that happens only sometimes: run until it was seen."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import pytest

from touchstone.scenario.pytest_internals import runtestprotocol
from touchstone.verdicts import Verdict

TRIES = 30
"""So many that what happens one time in five is missed in one run of 800."""
PATIENCE = 60.0
"""Seconds after which no further try begins."""
ATTEMPT = pytest.StashKey[int]()
"""Which of the tries of a scenario it is, from 0: what is drawn for it is other each time."""
UNDECIDED = "touchstone-undecided"
"""The property of a report whose tries ended early: they call no entry stale."""
_EXPECTED = {Verdict.CONFORMS, Verdict.DEVIATES}


def repeat(
    item: pytest.Function,
    nextitem: pytest.Item | None,
    ids: frozenset[str],
    verdicts_of: Callable[[list[pytest.TestReport]], Mapping[str, Verdict]],
) -> None:
    """Run `item` up to `TRIES` times, until one of `ids` deviates; the last run alone is logged.

    It ends early, too, when a verdict is neither of the two that are expected, or when the tries
    have taken `PATIENCE`. That it ended early is told by a property of the report.
    """
    begun = time.monotonic()
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for attempt in range(TRIES):
        item.stash[ATTEMPT] = attempt
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
        verdicts = verdicts_of(reports)
        happened = any(verdicts.get(id_) is Verdict.DEVIATES for id_ in ids)
        expected = verdicts and _EXPECTED.issuperset(verdicts.values())
        if happened or not expected or time.monotonic() - begun > PATIENCE:
            reports[-1].user_properties.append((UNDECIDED, True))
            break
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
