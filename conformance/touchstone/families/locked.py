"""An embedded broker whose jars are locked: one version that is usual, and others.

`--broker embedded` is the usual one, `--broker embedded:VERSION` another. A version is a lock of
its name, `<program>-<version>.lock`: whoever adds the file adds the version.
"""

from __future__ import annotations

from dataclasses import dataclass

from jvm_runtime import fetch, jre, locks
from jvm_runtime.jvm_errors import JvmRuntimeError
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

    def require(self, version: str) -> None:
        """Raises BrokerError where this version is not locked."""
        if version not in self.known:
            raise BrokerError(
                f"There is no embedded {self.product} {version}",
                hint=f"Locked for this platform: {', '.join(self.known) or 'none'}. Take one of "
                f"them, as in --broker embedded:{self.usual}, or a broker that runs elsewhere",
            )

    def obstacle(self) -> str:
        """Why the usual version cannot run here, with what to do; empty when it can."""
        try:
            jre.find_jre()
            lock = locks.load(self.lock())
            if fetch.offline_wanted():
                fetch.fetch(lock, offline=True)
        except JvmRuntimeError as error:
            return f"{error.message}: {error.hint}"
        return ""
