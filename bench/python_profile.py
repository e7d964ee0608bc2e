"""What the Python of a run spends its CPU time on, as py-spy sees it: by package, and for whom."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bench import catalogue

_A_SECOND = 40
_OURS = ("touchstone", "jms_model", "pulsar_jms", "jms_scenarios", "jvm_runtime")


@dataclass(frozen=True)
class PythonProfile:
    """How many samples fell into what; each was taken in a thread that was at work."""

    samples: int
    packages: Counter[str]
    """By the package of the function that was at work."""
    behalf: Counter[str]
    """By the innermost module of this project that had called it."""

    def shares(self, count: int) -> dict[str, dict[str, float]]:
        """Of the samples, the first `count` of each kind."""
        return {
            name: {key: round(n / self.samples, 3) for key, n in count_stacks.most_common(count)}
            for name, count_stacks in (("packages", self.packages), ("behalf", self.behalf))
        }


def measure(provider: str, workers: int, seed: int) -> PythonProfile:
    """One run of the whole catalogue under py-spy, which slows it down."""
    spy = shutil.which("py-spy", path=str(Path(sys.executable).parent))
    if spy is None:
        raise FileNotFoundError("py-spy is not there: pip install -r locks/dev.txt")
    with tempfile.TemporaryDirectory(prefix="touchstone-bench-") as folder:
        stacks = Path(folder, "stacks")
        under = [spy, "record", "--subprocesses", "--rate", str(_A_SECOND)]
        under += ["--format", "raw", "--output", str(stacks), "--"]
        catalogue.run(
            provider, workers, Path(folder, "runs"), "--touchstone-seed", str(seed), under=under
        )
        return count_stacks(stacks.read_text(encoding="utf-8").splitlines())


def count_stacks(stacks: Iterable[str]) -> PythonProfile:
    """Add up lines of `function (file:line);… count`, the outermost function first."""
    packages: Counter[str] = Counter()
    behalf: Counter[str] = Counter()
    for line in stacks:
        frames, _, count = line.rpartition(" ")
        modules = [_module(frame) for frame in frames.split(";")]
        packages[modules[-1].partition("/")[0]] += int(count)
        ours = (each for each in reversed(modules) if each.partition("/")[0] in _OURS)
        behalf[next(ours, "nobody of this project")] += int(count)
    return PythonProfile(packages.total(), packages, behalf)


def _module(frame: str) -> str:
    """`package/module` of `function (package/module.py:12)`."""
    file = frame.rpartition("(")[2].rpartition(":")[0]
    return file.removesuffix(".py")
