"""Which scenarios noticed each wrong client when that was last kept: these are asked first.

Nothing but time depends on it: where they do not notice a wrong client any more, all others judge.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType

from jms_clients.mutants.registry import by_package

_NAME = "noticing.json"
"""The file in each package of wrong clients."""


def noticing_scenarios() -> Mapping[str, Sequence[str]]:
    """The ids of scenarios by the name of the wrong client that they noticed."""
    return {name: ids for package in by_package() for name, ids in _read(package).items()}


def keep(noticing: Mapping[str, Sequence[str]]) -> None:
    """Write down what noticed these wrong clients now; what is known of others stays."""
    for package, own in by_package().items():
        known = {**_read(package), **noticing}
        lines = [
            f"{json.dumps(name)}: {json.dumps(known[name])}" for name in sorted(own.keys() & known)
        ]
        _file(package).write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def _read(package: ModuleType) -> Mapping[str, Sequence[str]]:
    if not (file := _file(package)).exists():
        return {}
    noticing: Mapping[str, Sequence[str]] = json.loads(file.read_text("utf-8"))
    return noticing


def _file(package: ModuleType) -> Path:
    return Path(package.__path__[0]) / _NAME
