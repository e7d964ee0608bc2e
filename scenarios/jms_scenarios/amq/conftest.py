"""What scenarios of AMQ JMS share: clients with transactions, which give back without a wait."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def prefer(at_hand):
    """`prefer("fair-shares")`: every client that is opened later has this preset, too."""
    at_hand.prefer("transactions", "quick-redelivery")
    return at_hand.prefer
