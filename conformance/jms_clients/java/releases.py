"""The releases of a client in Java that can be asked for: those whose jars are locked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from jms_clients.errors import ProviderError
from jvm_runtime import locks
from jvm_runtime.cache import cache_folder, writing
from jvm_runtime.javas import ANY, JavaRange
from jvm_runtime.jvm_errors import JvmRuntimeError

_VERSION: Final = re.compile(r"\d[\w.+-]*\Z", re.ASCII)
_PROVIDER: Final = re.compile(r"[a-z][a-z0-9]*\Z")


@dataclass(frozen=True)
class Releases:
    """The releases of a client whose jars are locked, each in a file `<provider>-<version>.lock`.

    The files are in `folder`; None for those that Touchstone brings and those that this user has
    added (`add_release`).
    """

    provider: str
    product: str
    """The client's own name."""
    newest: str
    folder: Path | None = None
    javas: Sequence[tuple[str, JavaRange]] = ()
    """The releases of Java, by the first release of the client that runs on them, the oldest first;
    the newest is what the vendor names, or else tests with. None where nothing is known of it."""

    def java_range(self, version: str) -> JavaRange:
        """The releases of Java that a release of the client runs on."""
        fitting = [wanted for since, wanted in self.javas if locks.is_from(version, since)]
        return fitting[-1] if fitting else ANY

    def program(self, version: str) -> str:
        """The lock of the jars of a release, as `jvm_runtime.locks.load` takes it."""
        name = f"{self.provider}-{version}"
        if self.folder is not None:
            return str(self.folder / f"{name}{locks.SUFFIX}")
        if version in locks.versions(self.provider):
            return name
        return str(_added() / f"{name}{locks.SUFFIX}")

    @property
    def brought(self) -> tuple[str, ...]:
        """Those that come with the provider, the oldest first."""
        if self.folder is not None:
            return locks.versions(self.provider, self.folder)
        return locks.versions(self.provider)

    @property
    def known(self) -> tuple[str, ...]:
        """Every release that can be asked for, the oldest first."""
        if self.folder is not None or not _added().is_dir():
            return self.brought
        return locks.in_order({*self.brought, *locks.versions(self.provider, _added())})

    def chosen(self, variant: str | None, version: str | None) -> str:
        """The version asked for, by default the newest; `ProviderError` where there is none."""
        if variant is not None:
            raise ProviderError(
                f"The provider {self.provider} has no variant {variant!r}",
                hint=f"Ask for plain {self.provider}, or for a version:"
                f" {self.provider}@{self.newest}.",
            )
        wanted = version or self.newest
        if wanted not in self.known:
            raise ProviderError(
                f"There is no {self.product} {wanted} here",
                hint=f"Locked are {', '.join(self.known)}; `touchstone lock"
                f" GROUP:ARTIFACT:{wanted} --as {self.provider}` adds it.",
            )
        return wanted

    def coordinates(self, version: str) -> str:
        """A release as `GROUP:ARTIFACT:VERSION`, by the lock of the newest one.

        `ProviderError` where that has several jars of the client, or brings an archive of them.
        """
        jars = locks.load(self.program(self.newest)).jars
        own = [jar for jar in jars if jar.version == self.newest and not jar.inside]
        if len(own) != 1:
            raise ProviderError(
                f"It is not known which jar {self.product} {version} is",
                hint=f"Lock it first: `touchstone lock GROUP:ARTIFACT:{version}"
                f" --as {self.provider}`.",
            )
        return f"{own[0].group}:{own[0].artifact}:{version}"

    def namespace(self, version: str) -> str:
        """`javax.jms` where the first line of a release's lock says so, else `jakarta.jms`."""
        title = locks.load(self.program(version)).title
        return "javax.jms" if "(javax.jms)" in title else "jakarta.jms"


def add_release(provider: str, version: str, lock: str) -> Path:
    """Keep the lock of a release for later runs of this user; returns its file.

    `ProviderError` for names that cannot be asked for, or a release that Touchstone brings.
    """
    if not _PROVIDER.match(provider) or not _VERSION.match(version):
        raise ProviderError(
            f"{provider}@{version} cannot be asked for",
            hint="A provider is a word in lower case, a version begins with a digit.",
        )
    if version in locks.versions(provider):
        raise ProviderError(
            f"{provider}@{version} is there already",
            hint="Touchstone brings its lock; leave --as out to see the lock of its jars.",
        )
    path = _added() / f"{provider}-{version}{locks.SUFFIX}"
    try:
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(lock, encoding="utf-8")
    except JvmRuntimeError as error:
        raise ProviderError(error.message, hint=error.hint) from error
    return path


def _added() -> Path:
    return cache_folder() / "locks"
