"""Meta data of a connection (JMS 2.0, sections 3.5.9 and 6.1.6)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from jms_model.answers import Expectation, gives_what
from jms_model.properties import DELIVERY_COUNT, GROUP, GROUP_SEQUENCE
from jms_model.resources.things import MetaData, World

_NAMES: Final = frozenset({GROUP, GROUP_SEQUENCE, DELIVERY_COUNT})
"""What every provider supports."""
_TABLE: Final = _NAMES | {
    "JMSXUserID",
    "JMSXAppID",
    "JMSXProducerTXID",
    "JMSXConsumerTXID",
    "JMSXRcvTimestamp",
    "JMSXState",
}
_VERSIONS: Final = {
    "jms_version": ("jms_major_version", "jms_minor_version"),
    "provider_version": ("provider_major_version", "provider_minor_version"),
}
"""Each version, and its numbers."""


def get(what: str) -> Callable[[World, MetaData], Expectation | None]:
    """The rule of one getter: it agrees with the others, and with itself."""

    def rule(world: World, meta: MetaData) -> Expectation | None:
        if meta.connection.closed:
            return None
        if what == "jmsx_property_names":
            names = gives_what("the names of JMSX properties", _are_names)
            return Expectation([names], ["JMS-META-001"])

        def agrees(value: object) -> bool:
            if not _is_possible(what, value, world.oldest) or world.told.get(what, value) != value:
                return False
            told = {**world.told, what: value}
            if not all(_is_of(told, version, *numbers) for version, numbers in _VERSIONS.items()):
                return False
            world.told[what] = value
            return True

        return Expectation([gives_what("what the others say", agrees)], ["JMS-META-002"])

    return rule


def _are_names(value: object) -> bool:
    return isinstance(value, (list, tuple)) and _NAMES <= set(value) <= _TABLE


def _is_possible(what: str, value: object, oldest: int) -> bool:
    if what.endswith(("major_version", "minor_version")):
        is_number = isinstance(value, int) and not isinstance(value, bool) and value >= 0
        return is_number and (what != "jms_major_version" or value >= oldest)  # type: ignore[operator]
    return isinstance(value, str) and bool(value.strip())


def _is_of(told: dict[str, object], version: str, major: str, minor: str) -> bool:
    """Whether a version has its numbers, as far as all were given."""
    if version not in told:
        return True
    match = re.match(r"(\d+)(?:\.(\d+))?", str(told[version]))
    if match is None:
        return False
    parts = {major: int(match[1]), minor: int(match[2] or 0)}
    return all(told.get(number, part) == part for number, part in parts.items())
