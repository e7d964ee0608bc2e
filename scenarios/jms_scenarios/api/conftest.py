"""What scenarios of the API share."""

import pytest


@pytest.fixture(autouse=True)
def prefer(at_hand):
    """Every client that is opened later has transactions, where that is a setting."""
    at_hand.prefer("transactions")
