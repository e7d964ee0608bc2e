"""What all tests of the adapter for clients in Java share."""

from __future__ import annotations

import pytest

from java_adapter.java_fakes import namespace
from jms_clients.java.connections import Jms


@pytest.fixture(params=["jakarta.jms", "javax.jms"])
def jms(request: pytest.FixtureRequest) -> Jms:
    """The classes of each namespace."""
    return namespace(request.param)
