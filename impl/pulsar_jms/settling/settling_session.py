"""What settling needs of a session."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from jmsapi import JMSException
from pulsar_jms.broker_client import BrokerClient
from pulsar_jms.mapping.session_modes import ModeRow


class SettlingSession(Protocol):
    """What settling needs of the session."""

    @property
    def client(self) -> BrokerClient: ...
    @property
    def mode_row(self) -> ModeRow:
        """What the session's mode does."""
        ...

    @property
    def lock(self) -> AbstractContextManager[object]: ...
    @property
    def closed(self) -> bool: ...

    def check_open(self) -> None:
        """`IllegalStateException` when the session is closed."""
        ...

    def report(self, error: JMSException) -> None:
        """Report to the connection's exception listener what no call can raise."""
        ...
