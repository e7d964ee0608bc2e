"""Apache Qpid Broker-J by name, and the artifacts that it is embedded from."""

from __future__ import annotations

from jms_brokers.shared.locked import LockedBroker

NAME = "brokerj"
LOCKED = LockedBroker("Qpid Broker-J", "brokerj", "9.2.1", newest_java=23)
"""It asks whom a thread works for by `Subject.getSubject`, which Java 24 has no more (JEP 486)."""
