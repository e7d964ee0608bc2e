"""What a family of brokers is to everybody else: one value, found by its name.

A family is a product: brokers that are started, examined and cut off in the same way. A
distribution registers its `Family` in the entry-point group `jms_brokers.families`, under its name.
The module that holds the value imports nothing that not everybody has: what starts brokers and
talks to them is imported by the functions that the value names, when they are called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from jms_brokers.brokers.interface import Broker, BrokerAddress, Way
from jms_brokers.brokers.limits import Resource, Scope
from jms_brokers.brokers.profiles import COMMON, PLAIN, Profile
from jms_brokers.machine.findings import Check
from jms_brokers.shared.locked import LockedBroker
from jms_brokers.shared.probe import BrokerProbe
from jms_brokers.shared.settings import BrokerSettings

if TYPE_CHECKING:
    from jms_brokers.brokers.container_engine import Images
    from jms_brokers.shared.cut_frames import CutFrames

Maker = Callable[[BrokerSettings, str, Path | None], Broker]
"""Makes a broker, not started yet, of a profile; its log goes to the file, where one is named."""


@dataclass(frozen=True)
class Family:
    """Brokers of one product. What has a default here a family may do without."""

    name: str
    product: str
    """What people call it."""
    schemes: Mapping[str, int]
    """Of service URLs, each with the port that is meant where none is named."""
    ways: Mapping[Way, Maker]
    """How to get one: embedded, in a container, or somebody's own."""
    probe: Callable[[BrokerAddress, str], BrokerProbe]
    """The harness's own clients on a broker; for brokers that keep users apart, in the space
    (tenant/name) that is given."""
    obstacle: Callable[[], str]
    """Why none can be started here, with what to do; empty when one can. It fetches nothing."""
    probes: Mapping[str, Callable[[BrokerAddress, str], BrokerProbe]] = field(default_factory=dict)
    """By protocol, for clients that speak another than the usual ones of the family."""
    profiles: Mapping[str, Profile] = field(default_factory=lambda: COMMON)
    limits: Mapping[Resource, Scope] = field(default_factory=dict)
    """What an administrator can limit, and where the limit holds."""
    frames: Callable[[], CutFrames] | None = None
    """What a proxy reads of the protocol that its clients speak."""
    images: Callable[[], Images] | None = None
    """Of its containers."""
    locked: LockedBroker | None = None
    """The versions that can be embedded, where their jars are locked."""
    detached: Callable[[BrokerSettings, str, Path], Broker] | None = None
    """An embedded broker with its data in the folder, that outlives the process that starts it."""
    admin_url: Callable[[str, str], str] = lambda scheme, host: ""
    """Where its administration over HTTP is sought, by scheme and host of the service URL."""
    tells_where: bool = False
    """Whether it tells its clients where a destination is served: they leave a proxy for that."""
    views: frozenset[str] = frozenset()
    """Fixtures that look at it with its own means: attributes of its probe."""
    workload_profile: str = PLAIN
    """The profile of brokers that do not themselves give one message to two consumers."""
    checks: Mapping[str, Check] = field(default_factory=dict)
    """What `touchstone doctor` looks at, by subject."""
