"""What scenarios of the API share."""

import pytest

from touchstone.api import prefers


@pytest.fixture(autouse=True)
@prefers("transactions")
def prefer(at_hand):
    """Every client that is opened later has transactions, where that is a setting."""
