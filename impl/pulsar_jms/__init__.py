"""JMS on Apache Pulsar: the reference implementation of the documented mapping."""

from pulsar_jms.factories.factory import PulsarConnectionFactory
from pulsar_jms.mapping.session_modes import INDIVIDUAL_ACKNOWLEDGE

__all__ = ["INDIVIDUAL_ACKNOWLEDGE", "PulsarConnectionFactory"]
