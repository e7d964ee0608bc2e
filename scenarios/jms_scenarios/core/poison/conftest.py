"""What scenarios of damaged messages share: streams for each kind of damage, and what is left."""

from __future__ import annotations

import pytest

from jms_scenarios.core.poison.trials import Trials
from touchstone.api import PARTS, not_applicable


@pytest.fixture(params=PARTS)
def part(request, queues):
    """Each part of messages that can be damaged where the broker is."""
    if not queues.poisons(request.param):
        not_applicable(f"no {request.param} of messages can be damaged on this broker")
    return request.param


@pytest.fixture
def trials(at_hand, part):
    """A trial for each kind of damage to the part, one after the other."""
    return Trials(at_hand, part)
