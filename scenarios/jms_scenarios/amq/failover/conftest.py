"""What scenarios of failover share: a client that can be cut off, and reconnects."""

import pytest

from jmsapi import SessionMode


@pytest.fixture
def connection(cuts):
    """A started connection of the client under test that can be cut; it reconnects."""
    return cuts.connection()


@pytest.fixture
def transacted(connection):
    """A transacted session on the connection that can be cut."""
    return connection.create_session(True, SessionMode.SESSION_TRANSACTED)
