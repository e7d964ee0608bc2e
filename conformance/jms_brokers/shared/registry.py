"""Families of brokers, found in the entry-point group `jms_brokers.families` by their names.

One that cannot be loaded is an error for what needs it, and for nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from importlib.metadata import EntryPoint
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from jms_brokers.brokers.interface import Broker, BrokerAddress
from jms_brokers.brokers.profiles import PLAIN
from jms_brokers.errors import BrokerError
from jms_brokers.machine.installed import registered_entry_points
from jms_brokers.shared.interface import Family
from jms_brokers.shared.probe import BrokerProbe
from jms_brokers.shared.settings import BrokerSettings

if TYPE_CHECKING:
    from jms_brokers.brokers.container_engine import Images

GROUP = "jms_brokers.families"
_numbers = count(1)


def family_names() -> tuple[str, ...]:
    """The names that are registered, in order; nothing is loaded."""
    return tuple(sorted(_registered_points()))


def family_named(name: str) -> Family:
    """The family `name`; raises BrokerError: there is none, there are two, it cannot be loaded."""
    registered = _registered_points()
    if name not in registered:
        close = get_close_matches(name, registered, n=3)
        raise BrokerError(
            f"There are no brokers of the family {name!r}",
            hint=f"Did you mean {' or '.join(close)}?"
            if close
            else f"Families are {', '.join(sorted(registered))}.",
        )
    return _load(name, registered[name])


def families() -> Mapping[str, Family]:
    """Every family that can be loaded, by its name."""
    loaded = {}
    for name, points in sorted(_registered_points().items()):
        with suppress(BrokerError):  # whoever needs it will say it
            loaded[name] = _load(name, points)
    return loaded


def broker_for(settings: BrokerSettings, profile: str = PLAIN) -> Broker:
    """Return a broker of `profile`, not started yet, of the family and the way in `settings`.

    As a context manager it is the private broker of a scenario that kills or restarts it; any
    process may have one, and the broker ends with that process. Raises BrokerError.
    """
    make = family_named(settings.family).ways.get(settings.way)
    if make is None:
        raise BrokerError(
            f"There is no {settings.way} broker of the family {settings.family}",
            hint="See `touchstone providers` for what can run here",
        )
    return make(settings, profile, _log_file(settings, profile))


def probe_for(address: BrokerAddress, space: str, protocol: str = "") -> BrokerProbe:
    """The harness's clients on the broker at `address`.

    `space` is a name of the worker's own, tenant/name, for brokers that keep users apart.
    `protocol` is the client's own, where it is another than its usual clients speak.
    """
    family = family_named(address.family)
    return family.probes.get(protocol, family.probe)(address, space)


def images(name: str) -> Images:
    """Return the images of brokers of a family; raises BrokerError where there are none."""
    family = family_named(name)
    if family.images is None:
        having = [each for each, other in families().items() if other.images is not None]
        raise BrokerError(
            f"Brokers of the family {name} are not run in containers",
            hint=f"Those of {' and '.join(having)} are",
        )
    return family.images()


def obstacle(name: str) -> str:
    """Why no broker of a family can be started here, with what to do; empty when one can.

    It looks only: nothing is fetched and nothing started.
    """
    try:
        return family_named(name).obstacle()
    except BrokerError as error:
        return f"{error.what}: {error.hint}"


def locked_versions() -> str:
    """The versions of every product that can be embedded from locked jars, in a line, for help."""
    locked = [each.locked for each in families().values() if each.locked is not None]
    return "; ".join(f"{each.product} {', '.join(each.known)}" for each in locked)


def _registered_points() -> Mapping[str, Sequence[EntryPoint]]:
    """By name those that are to be loaded, each once: one, or several of one name."""
    points_by_family: dict[str, dict[str, EntryPoint]] = {}
    for point in registered_entry_points(GROUP):
        points_by_family.setdefault(point.name, {})[point.value] = point
    return {name: list(points.values()) for name, points in points_by_family.items()}


def _load(name: str, points: Sequence[EntryPoint]) -> Family:
    if len(points) > 1:
        raise BrokerError(
            f"There are {len(points)} families {name!r}: "
            + " and ".join(f"{each.value} of {_distribution(each)}" for each in points),
            hint="Remove the distributions but one.",
        )
    [point] = points
    try:
        family = point.load()
    except Exception as error:
        raise BrokerError(
            f"The family {name!r} ({point.value}) cannot be loaded: {error!r}",
            hint=f"Mend or remove {_distribution(point)}, which registers it in {GROUP}.",
        ) from error
    if not isinstance(family, Family):
        raise BrokerError(
            f"The family {name!r} ({point.value}) is a {type(family).__name__}",
            hint="It has to be a jms_brokers.shared.interface.Family.",
        )
    if family.name != name:
        raise BrokerError(
            f"The family {name!r} ({point.value}) calls itself {family.name!r}",
            hint=f"{_distribution(point)} has to register it by its own name.",
        )
    return family


def _distribution(point: EntryPoint) -> str:
    return f"the distribution {point.dist.name}" if point.dist else "its distribution"


def _log_file(settings: BrokerSettings, profile: str) -> Path | None:
    if settings.log_folder is None:
        return None
    name = f"{settings.family}-{profile}-{os.getpid()}-{next(_numbers)}.log"
    return Path(settings.log_folder) / name
