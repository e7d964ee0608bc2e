"""What scenarios of the specification's core share: clients of any vendor, ready for use."""

from __future__ import annotations

from threading import Event

import pytest


@pytest.fixture(autouse=True)
def prefer(at_hand):
    """`prefer("priorities")`: every client that is opened later has this preset of its provider.

    All have transactions, where that is a setting.
    """
    at_hand.prefer("transactions")
    return at_hand.prefer


@pytest.fixture
def gate(at_hand):
    """What listeners wait for; it opens with the end of the scenario at the latest."""
    gate = Event()
    yield gate
    gate.set()
