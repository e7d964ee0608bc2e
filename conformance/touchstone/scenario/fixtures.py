"""The way from pytest's request to the running scenario, for a catalogue's fixtures."""

from __future__ import annotations

import pytest

from touchstone.errors import HarnessError
from touchstone.scenario.running import RunningScenario

AT_WORK = pytest.StashKey[RunningScenario]()


def at_work(request: pytest.FixtureRequest) -> RunningScenario:
    """The scenario that asks for a fixture; `HarnessError` outside a registered catalogue."""
    running = request.node.stash.get(AT_WORK, None)
    if not isinstance(running, RunningScenario):
        raise HarnessError(
            f"{request.node.nodeid} is no scenario of a registered catalogue",
            hint="Register its package in the entry-point group touchstone.catalogues.",
        )
    return running
