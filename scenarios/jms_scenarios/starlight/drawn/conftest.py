"""What drawn programs on sessions need of the client."""

import pytest


@pytest.fixture
def quick(at_hand):
    """What is given back comes again at once, where that is a setting."""
    at_hand.prefer("quick-redelivery")
