"""The reference's modules: their sources, and the changes that they can have."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from jms_clients.errors import ProviderError
from jms_clients.mutants.changes import changes
from jms_clients.mutants.changes.changes import Change
from jms_clients.mutants.changes.operators import Members

PACKAGES = ("jmsapi", "pulsar_jms")


@dataclass(frozen=True)
class ReferenceSources:
    """The sources of its modules, and the files that they stand in."""

    sources: dict[str, str]
    files: dict[str, Path]

    @classmethod
    def installed(cls) -> ReferenceSources:
        """The reference as it is installed; nothing of it is imported."""
        files: dict[str, Path] = {}
        for package in PACKAGES:
            spec = importlib.util.find_spec(package)
            assert spec is not None
            assert spec.origin is not None
            folder = Path(spec.origin).parent
            for file in sorted(folder.rglob("*.py")):
                parts = file.relative_to(folder.parent).with_suffix("").parts
                files[".".join(part for part in parts if part != "__init__")] = file
        return cls({name: file.read_text("utf-8") for name, file in files.items()}, files)

    @cached_property
    def members(self) -> Members:
        """Those of its enumerations."""
        return changes.enumerations(self.sources.values())

    @cached_property
    def changes(self) -> dict[str, Change]:
        """Every change by its id."""
        return {
            change.id: change
            for module, source in self.sources.items()
            for change in changes.changes(module, source, self.members)
        }

    def change(self, id_: str) -> Change:
        """The change of this id; `ProviderError` when there is none."""
        try:
            return self.changes[id_]
        except KeyError:
            raise ProviderError(
                f"The reference has no change {id_!r}",
                hint="An id is <module>:<function>:<operator>:<ordinal>; functions may have moved.",
            ) from None

    def diffs(self, module: str, functions: Iterable[str]) -> dict[Change, tuple[str, ...]]:
        """The lines that each change of these functions of `module` takes away and adds."""
        return changes.diffs(module, self.sources[module], self.members, functions)

    def diff(self, change: Change) -> tuple[str, ...]:
        """The lines that `change` takes away and adds."""
        return self.diffs(change.module, [change.function])[change]

    @cached_property
    def digest(self) -> str:
        """Of all sources."""
        told = hashlib.sha256()
        for name, source in sorted(self.sources.items()):
            told.update(f"{name}\0{source}\0".encode())
        return told.hexdigest()[:16]
