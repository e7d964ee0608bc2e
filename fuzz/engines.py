"""Which engine finds more: the lines and the faults that Atheris and Hypothesis reach.

`python -m fuzz.engines SECONDS TARGET...` gives both as much CPU time, the same kept inputs and the
same mutations. It prints how many inputs they made, how many lines of the project those ran that
they kept, and which faults: what was raised, and where. A fault ends neither of them.
"""

from __future__ import annotations

import atexit
import json
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import process_time
from types import FrameType
from typing import Any

from fuzz.targets import ROOT, Target, find

_OURS = (
    "/impl/jmsapi/",
    "/impl/pulsar_jms/",
    "/conformance/jms_histories/",
    "/conformance/touchstone/",
    "/reports/",
)


def main() -> None:
    """Compare the engines, or be one of them."""
    if sys.argv[1] in _ENGINES:
        _ENGINES[sys.argv[1]](sys.argv[2], float(sys.argv[3]), Path(sys.argv[4]))
        return
    print(f"{'target':<26}{'engine':<14}{'inputs':>10}{'lines':>8}  faults")
    for name in sys.argv[2:]:
        for engine in _ENGINES:
            with TemporaryDirectory() as folder:
                subprocess.run(
                    [sys.executable, "-m", "fuzz.engines", engine, name, sys.argv[1], folder],
                    stderr=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    cwd=ROOT,
                    check=False,
                )
                paths = [*(Path(folder) / "inputs").iterdir(), *find(name).corpus.iterdir()]
                inputs = [path.read_bytes() for path in paths]
                made, faults = json.loads((Path(folder) / "made").read_text())
            lines = len(_lines(find(name), inputs))
            shown = "; ".join(faults) or "none"
            print(f"{name:<26}{engine:<14}{made:>10,}{lines:>8}  {len(faults)}: {shown}")


class _Found:
    """What an engine's inputs did, written to a file when the process ends."""

    def __init__(self, target: Target, folder: Path) -> None:
        self.target, self.made, self.faults = target, 0, dict[str, None]()
        (folder / "inputs").mkdir()
        atexit.register(
            lambda: (folder / "made").write_text(json.dumps([self.made, [*self.faults]]))
        )

    def decode(self, data: bytes) -> None:
        self.made += 1
        try:
            self.target.decode(data)
        except self.target.promises:
            pass
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            self.faults[f"{type(error).__name__} {Path(place.filename).name}:{place.lineno}"] = None


def _atheris(name: str, seconds: float, folder: Path) -> None:
    import atheris

    with atheris.instrument_imports(include=["jmsapi", "pulsar_jms", "touchstone"]):
        target = find(name)
    inputs = _Found(target, folder)
    mutate = target.mutate

    def decode(data: bytes) -> None:
        inputs.decode(data)
        if process_time() > seconds:
            sys.exit()

    def mutated(data: bytes, longest: int, seed: int) -> bytes:
        if mutate is None or seed % 2:
            other: bytes = atheris.Mutate(data, longest)
            return other
        return mutate(data, Random(seed))[:longest]

    flags = ["-max_len=4096", str(folder / "inputs"), str(target.corpus)]
    atheris.Setup([name, *flags], decode, custom_mutator=mutated)
    atheris.Fuzz()


def _hypothesis(name: str, seconds: float, folder: Path) -> None:
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import strategies as st

    target = find(name)
    inputs = _Found(target, folder)
    mutate = target.mutate or (lambda data, random: data)
    kept = [path.read_bytes() for path in sorted(target.corpus.iterdir())]
    bases = st.sampled_from(kept) | st.binary(max_size=4096)

    @settings(
        max_examples=10**9,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(bases, st.integers(0, 8), st.integers(0, 2**32))
    def decode(data: bytes, times: int, seed: int) -> None:
        if process_time() > seconds:
            raise KeyboardInterrupt
        random = Random(seed)
        for _ in range(times):
            data = mutate(data, random)[:4096]
        (folder / "inputs" / str(inputs.made)).write_bytes(data)
        inputs.decode(data)

    decode()


_ENGINES: dict[str, Callable[[str, float, Path], None]] = {
    "atheris": _atheris,
    "hypothesis": _hypothesis,
}


def _lines(target: Target, inputs: list[bytes]) -> set[tuple[str, int]]:
    """The lines of the project that run while the target decodes the inputs."""
    seen: set[tuple[str, int]] = set()

    def line(frame: FrameType, event: str, _: Any) -> Any:
        if not any(part in frame.f_code.co_filename for part in _OURS):
            return None
        if event == "line":
            seen.add((frame.f_code.co_filename, frame.f_lineno))
        return line

    for data in inputs:
        sys.settrace(line)
        try:
            target.decode(data)
        except Exception:
            continue
        finally:
            sys.settrace(None)
    return seen


if __name__ == "__main__":
    main()
