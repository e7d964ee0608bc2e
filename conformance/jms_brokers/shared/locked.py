"""An embedded broker whose jars are locked: one version that is usual, and others.

`--broker embedded` is the usual one, `--broker embedded:VERSION` another. A version is a lock of
its name, `<program>-<version>.lock`: whoever adds the file adds the version.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from jms_brokers.errors import BrokerError
from jvm_runtime import fetch, locks
from jvm_runtime.jre import Jre, find_jre, inspect
from jvm_runtime.jvm_errors import JavaError, JvmRuntimeError


@dataclass(frozen=True)
class LockedBroker:
    """A product that is embedded, in versions."""

    product: str
    program: str
    """What the names of its locks begin with."""
    usual: str
    """The version that is taken where none is asked for."""
    newest_java: int | None = None
    """The newest release of Java on which it runs; None where there is no such bound."""

    @property
    def known(self) -> tuple[str, ...]:
        """Every version that is locked for this platform, the oldest first."""
        return locks.versions(self.program)

    def lock(self, version: str = "") -> str:
        """The lock of a version, by default the usual one, as `jvm_runtime.locks.load` takes it."""
        return f"{self.program}-{version or self.usual}"

    def require(self, version: str) -> None:
        """Raise BrokerError where this version is not locked."""
        if version not in self.known:
            raise BrokerError(
                f"There is no embedded {self.product} {version}",
                hint=f"Locked for this platform: {', '.join(self.known) or 'none'}. Take one of "
                f"them, as in --broker embedded:{self.usual}, or a broker that runs elsewhere",
            )

    def java(self) -> Jre:
        """The Java that runs it: where ours is too new, the one on the path.

        Raises JavaError where neither does.
        """
        default = find_jre()
        if self.newest_java is None or default.major <= self.newest_java:
            return default
        with suppress(JavaError):
            on_path = inspect(Path(shutil.which("java") or "java"))
            if on_path.major <= self.newest_java:
                return on_path
        raise JavaError(
            f"{self.product} runs on Java {self.newest_java} or older, and {default.java} is "
            f"Java {default.version}",
            hint="Have an older one on the path, or name it with TOUCHSTONE_JAVA",
        )

    def obstacle(self) -> str:
        """Why the usual version cannot run here, with what to do; empty when it can."""
        try:
            self.java()
            lock = locks.load(self.lock())
            if fetch.is_offline_wanted():
                fetch.fetch(lock, offline=True)
        except JvmRuntimeError as error:
            return f"{error.message}: {error.hint}"
        return ""
