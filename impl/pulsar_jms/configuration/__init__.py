"""The configuration of a factory: its keys, what each may hold, and all of them checked."""

from pulsar_jms.configuration.checking import Settings, settings
from pulsar_jms.configuration.value_parsers import integer

__all__ = ["Settings", "integer", "settings"]
