"""What scenarios of the specification's core share: clients of any vendor, ready for use."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def prefer(at_hand):
    """`prefer("priorities")`: every client that is opened later has this preset of its provider.

    All have transactions and redeliver without a wait of their own, where that is a setting.
    """
    at_hand.prefer("transactions", "quick-redelivery")
    return at_hand.prefer
