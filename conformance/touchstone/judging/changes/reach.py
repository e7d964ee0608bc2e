"""Which scenarios reach which statements of the reference: measured once, and kept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jvm_runtime.cache import cache_folder, write_atomically
from touchstone.judging.changes.task import ScenarioResult

Point = tuple[str, int]


@dataclass(frozen=True)
class Reached:
    """What one scenario took and reached on the right reference."""

    file: str
    seconds: float
    verdicts: Mapping[str, str]
    points: frozenset[Point]

    @property
    def judges(self) -> bool:
        """Whether its verdict on the right reference says anything."""
        return any(verdict in ("CONFORMS", "DEVIATES") for verdict in self.verdicts.values())


@dataclass
class Reach:
    """What the scenarios of a provider reach, by the digests of the files that they stand in."""

    provider: str
    digests: dict[str, str] = field(default_factory=dict)
    scenarios: dict[str, Reached] = field(default_factory=dict)

    def reaching(self, point: Point) -> list[str]:
        """The scenarios that reach `point`, cheapest first."""
        ids = [
            id_
            for id_, reached in self.scenarios.items()
            if reached.judges and point in reached.points
        ]
        return sorted(ids, key=lambda id_: (self.scenarios[id_].seconds, id_))

    def known(self, scenarios: Iterable[str]) -> tuple[tuple[str, str], ...]:
        """What the right reference violates in `scenarios`."""
        return tuple(
            (scenario, id_)
            for scenario in scenarios
            for id_, verdict in self.scenarios[scenario].verdicts.items()
            if verdict == "VIOLATES"
        )

    def missing(self, digests: Mapping[str, str]) -> list[str]:
        """The files that were not measured, or have changed since."""
        return sorted(file for file, now in digests.items() if self.digests.get(file) != now)

    def learn(self, file: str, digest: str, told: Sequence[ScenarioResult]) -> None:
        """What the scenarios of `file` told in place of what was known of them."""
        self.scenarios = {id_: known for id_, known in self.scenarios.items() if known.file != file}
        for known in told:
            self.scenarios[known.scenario] = Reached(
                file, known.seconds, known.verdicts, frozenset(known.reached)
            )
        self.digests[file] = digest

    def keep(self) -> None:
        """Write it where `kept` finds it."""
        points = sorted({point for reached in self.scenarios.values() for point in reached.points})
        index = {point: at for at, point in enumerate(points)}
        rows = {
            id_: {
                "file": reached.file,
                "seconds": reached.seconds,
                "verdicts": reached.verdicts,
                "points": sorted(index[point] for point in reached.points),
            }
            for id_, reached in self.scenarios.items()
        }
        told = {"digests": self.digests, "points": points, "scenarios": rows}
        file = _file(self.provider)
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, json.dumps(told).encode())


def kept(provider: str) -> Reach:
    """What was kept for `provider`, or nothing yet."""
    file = _file(provider)
    if not file.exists():
        return Reach(provider)
    told = json.loads(file.read_text(encoding="utf-8"))
    points = [(module, line) for module, line in told["points"]]
    scenarios = {
        id_: Reached(
            row["file"],
            row["seconds"],
            row["verdicts"],
            frozenset(points[at] for at in row["points"]),
        )
        for id_, row in told["scenarios"].items()
    }
    return Reach(provider, told["digests"], scenarios)


def digests(files: Iterable[Path], reference: str) -> dict[str, str]:
    """Of each file of scenarios, with what they share beside them and the `reference`'s digest."""
    modules = sorted(set(files))
    shared = hashlib.sha256(reference.encode())
    packages = {module.parents[_depth(module)] for module in modules}
    for package in sorted(packages):
        for other in sorted(package.rglob("*.py")):
            if other not in modules:
                shared.update(other.read_bytes())
    base = shared.digest()
    return {str(file): hashlib.sha256(base + file.read_bytes()).hexdigest() for file in modules}


def _depth(module: Path) -> int:
    """How many packages a module lies in, but the outermost."""
    depth = 0
    while (module.parents[depth + 1] / "__init__.py").exists():
        depth += 1
    return depth


def _file(provider: str) -> Path:
    return cache_folder() / "reach" / f"{provider.replace('/', '-')}.json"
