"""One target from its kept inputs to a finding, or to the end of its time."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections import deque
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from fuzz.engine import ASKS, CORPUS, GUILTY, Tally, read_tally
from fuzz.judging import Seen, judge
from fuzz.shrinking import shrunk
from fuzz.targets import ROOT, Target, find

FINDINGS = ROOT / "fuzz" / "findings"
_LAST = 40
"""Lines of what an engine said."""


@dataclass(frozen=True)
class Figures:
    """What became of one target."""

    target: str
    inputs: int
    seconds: float
    cpu: float
    """Seconds that the slowest input took, in instrumented code."""
    memory: int
    """Bytes by which the process grew."""
    suspects: int
    """Inputs that looked slow or large, but were not when they were judged alone."""
    finding: str = ""
    """What was found, and how to see it again."""


def fuzz(target: Target, seconds: float, inputs: int) -> Figures:
    """Fuzz until there is a finding, or that many seconds or inputs (-1 for any) are over."""
    began = monotonic()
    tally = Tally()
    for kept in sorted(target.corpus.iterdir()):
        seen = judge(target, kept.read_bytes())
        if seen.fault:
            return _figures(target, tally, began, 0, _told(target, kept, seen))
    suspects = 0
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / CORPUS).mkdir()
        while True:
            count = inputs - tally.inputs if inputs >= 0 else -1
            if monotonic() - began > seconds or count == 0:
                return _figures(target, tally, began, suspects)
            status, said, asked = _engine(target, folder, began + seconds, count)
            suspects += asked
            tally = tally.and_then(read_tally(folder))
            bad = next((path for path in folder.iterdir() if "-" in path.name), None)
            if bad is None and status == 0:
                return _figures(target, tally, began, suspects)
            if bad is None:
                raise RuntimeError(f"{target.name}: the engine failed\n{said}")
            finding = _finding(target, bad.read_bytes())
            if finding is None and bad.name.startswith("crash-"):
                finding = f"only after other inputs\n{said}"
            if finding is not None:
                return _figures(target, tally, began, suspects, finding)
            bad.unlink()
            suspects += 1


def _engine(target: Target, folder: Path, until: float, inputs: int) -> tuple[int, str, int]:
    """How an engine ended, what it said last, and how many inputs it suspected without cause."""
    innocent = 0
    said: deque[str] = deque(maxlen=_LAST)
    given = [target.name, str(folder), str(until), str(inputs)]
    with subprocess.Popen(
        [sys.executable, "-m", "fuzz.engine", *given],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        cwd=ROOT,
    ) as engine:
        assert engine.stdin
        assert engine.stdout
        for line in engine.stdout:
            if not line.startswith(ASKS):
                said.append(line)
                continue
            guilty = judge(target, bytes.fromhex(line.removeprefix(ASKS))).fault is not None
            innocent += not guilty
            engine.stdin.write(f"{GUILTY if guilty else 'innocent'}\n")
            engine.stdin.flush()
    return engine.returncode, "".join(said), innocent


def _finding(target: Target, data: bytes) -> str | None:
    """The shortest input that does what `data` does, written to a file; None if it does nothing."""
    seen = judge(target, data)
    if not seen.fault:
        return None
    least = shrunk(data, lambda shorter: judge(target, shorter).kind == seen.kind)
    path = FINDINGS / f"{target.name}-{hashlib.sha256(least).hexdigest()[:12]}"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(least)
    return _told(target, path, judge(target, least))


def _told(target: Target, path: Path, seen: Seen) -> str:
    return (
        f"{seen.fault}\n{path.stat().st_size} bytes, to be seen again by\n"
        f"  python -m fuzz {target.name} --input {path.relative_to(ROOT)}"
    )


def _figures(
    target: Target, tally: Tally, began: float, suspects: int, finding: str = ""
) -> Figures:
    return Figures(target.name, tally.inputs, monotonic() - began, *tally[1:], suspects, finding)


if __name__ == "__main__":
    print(json.dumps(asdict(fuzz(find(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])))))
