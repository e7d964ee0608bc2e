"""The way from pytest's request to the running scenario, for a catalogue's fixtures."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import pytest

from touchstone.catalogue.items import PREFERRED
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


def prefers(*presets: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A fixture that has every client that is opened later get these presets of its provider.

    It takes `at_hand`. Who collects its scenarios knows which they are.
    """

    def preferring(fixture: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(fixture)
        def prefer(at_hand: RunningScenario, **others: Any) -> Any:
            at_hand.prefer(*presets)
            return fixture(at_hand, **others)

        setattr(prefer, PREFERRED, presets)
        return prefer

    return preferring
