"""The embedded brokers whose jars are locked: of a family one that is usual, and other versions.

`--broker embedded` is the usual one, `--broker embedded:VERSION` another. A version is a lock of
its name, `<program>-<version>.lock`: whoever adds the file adds the version.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from jvm_runtime import locks
from touchstone.brokers.interface import Family
from touchstone.errors import BrokerError


@dataclass(frozen=True)
class LockedBroker:
    """A product that is embedded, in versions."""

    product: str
    program: str
    """What the names of its locks begin with."""
    usual: str
    """The version that is taken where none is asked for."""

    @property
    def known(self) -> tuple[str, ...]:
        """Every version that is locked for this platform, the oldest first."""
        return locks.versions(self.program)

    def lock(self, version: str = "") -> str:
        """The lock of a version, by default the usual one, as `jvm_runtime.locks.load` takes it."""
        return f"{self.program}-{version or self.usual}"


LOCKED: Mapping[Family, LockedBroker] = {
    "pulsar": LockedBroker("Pulsar", "pulsar-broker", "4.0.7"),
    "artemis": LockedBroker("Artemis", "artemis", "2.55.0"),
    "activemq": LockedBroker("ActiveMQ", "activemq-broker", "6.3.1"),
}


def require(family: Family, version: str) -> None:
    """Raises BrokerError where no embedded broker of `family` has this version."""
    locked = LOCKED.get(family)
    if locked is None:
        raise BrokerError(
            f"Embedded brokers of the family {family} have no versions to choose from",
            hint="The one that is installed is taken: --broker embedded. Another one's URL, or an "
            f"image in `touchstone matrix --broker {family}=image:NAME`, names another version",
        )
    if version not in locked.known:
        raise BrokerError(
            f"There is no embedded {locked.product} {version}",
            hint=f"Locked for this platform: {', '.join(locked.known) or 'none'}. Take one of "
            f"them, as in --broker embedded:{locked.usual}, or a broker that runs elsewhere",
        )


def described() -> str:
    """The versions of every product in a line, for help."""
    return "; ".join(f"{each.product} {', '.join(each.known)}" for each in LOCKED.values())
