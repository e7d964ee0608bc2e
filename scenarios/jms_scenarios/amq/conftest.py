"""What scenarios of AMQ JMS share: clients with transactions, which give back without a wait."""

from __future__ import annotations

import pytest

from touchstone.api import prefers


@pytest.fixture(autouse=True)
@prefers("transactions", "quick-redelivery")
def prefer(at_hand):
    """`prefer("fair-shares")`: every client that is opened later has this preset, too."""
    return at_hand.prefer
