"""How many brokers a whole run may start: what costs most is rationed."""

from __future__ import annotations

from jms_brokers.brokers.profiles import PLAIN
from touchstone.catalogue import load_library
from touchstone.catalogue.scenarios import collect_scenarios

SPECIAL = 7
"""Profiles that scenarios share beside the plain one: one start each."""
PRIVATE = 10
"""Scenarios that kill or restart their broker: a start each, and one a worker before."""


def test_a_run_needs_few_brokers() -> None:
    """Another profile, or a private broker, makes every run longer: is there no other way?"""
    scenarios = collect_scenarios(load_library())
    shared = {scenario.profile for scenario in scenarios if not scenario.exclusive}
    private = [scenario.id for scenario in scenarios if scenario.exclusive]

    assert PLAIN in shared
    assert len(shared) - 1 <= SPECIAL, sorted(shared)
    assert len(private) <= PRIVATE, private
