"""One target from its kept inputs to a finding, or to the end of its time."""

from __future__ import annotations

import hashlib
import json
import signal
import subprocess
import sys
from collections import deque
from dataclasses import asdict, dataclass
from itertools import cycle
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from fuzz.engine import CORPUS, LED, PLAIN, Way
from fuzz.judging import InputResult, judge
from fuzz.shrinking import shrink
from fuzz.suspicion import ASKS, GUILTY, Tally, read_tally
from fuzz.targets import ROOT, Target, find

FINDINGS = ROOT / "fuzz" / "findings"
_TURNS: tuple[tuple[Way, float, float], ...] = ((LED, 15.0, 0.4), (PLAIN, 60.0, 1.0))
"""The ways in turn: for how many seconds, and what share of the time and inputs left, at most."""
_LAST = 40
"""Lines of what an engine said."""


@dataclass(frozen=True)
class TargetFigures:
    """What became of one target."""

    target: str
    inputs: int
    seconds: float
    cpu: float
    """Seconds that the slowest input took, mostly in instrumented code."""
    memory: int
    """Bytes by which the process grew."""
    suspects: int
    """Inputs that looked slow or large, but were not when they were judged alone."""
    finding: str = ""
    """What was found, and how to see it again."""


def fuzz(target: Target, seconds: float, inputs: int) -> TargetFigures:
    """Fuzz until there is a finding, or that many seconds or inputs (-1 for any) are over."""
    began = monotonic()
    tally = Tally()
    for kept in sorted(target.corpus.iterdir()):
        seen = judge(target, kept.read_bytes())
        if seen.fault:
            return _figures(target, tally, began, 0, _finding_text(target, kept, seen))
    suspects = 0
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / CORPUS).mkdir()
        for way, longest, share in cycle(_TURNS):
            left = seconds - (monotonic() - began)
            count = inputs - tally.inputs if inputs >= 0 else -1
            if left <= 0 or count == 0:
                break
            until = monotonic() + min(longest, left * share)
            ended = _engine(way, target, folder, until, ceil(count * share) if count > 0 else -1)
            suspects += ended.innocent
            tally = tally.and_then(ended.tally)
            if ended.bad is None:
                continue
            finding = _finding(target, ended.bad)
            if finding is None and not ended.limit:
                finding = f"only after other inputs\n{ended.said}"
            if finding is not None:
                return _figures(target, tally, began, suspects, finding)
            suspects += 1
    return _figures(target, tally, began, suspects)


@dataclass(frozen=True)
class _Ended:
    """What became of an engine."""

    tally: Tally
    innocent: int
    """Inputs that it suspected without cause."""
    bad: bytes | None
    """The input that ended it."""
    limit: bool
    """It was ended by a limit of the engine, which an earlier input may have used up."""
    said: str


def _engine(way: Way, target: Target, folder: Path, until: float, inputs: int) -> _Ended:
    innocent = 0
    said: deque[str] = deque(maxlen=_LAST)
    given = [way, target.name, str(folder), str(until), str(inputs)]
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
    tally, last = read_tally(folder)
    artifact = next((path for path in folder.iterdir() if "-" in path.name), None)
    if engine.returncode == 0 and artifact is None:
        return _Ended(tally, innocent, None, False, "")
    if tally.inputs == 0:
        raise RuntimeError(f"{target.name}: the engine failed\n{''.join(said)}")
    limit = engine.returncode == -signal.SIGALRM
    if artifact is not None:
        last, limit = artifact.read_bytes(), not artifact.name.startswith("crash-")
        artifact.unlink()
    return _Ended(tally, innocent, last, limit, "".join(said))


def _finding(target: Target, data: bytes) -> str | None:
    """The shortest input that does what `data` does, written to a file; None if it does nothing."""
    seen = judge(target, data)
    if not seen.fault:
        return None
    least = shrink(data, lambda shorter: judge(target, shorter).kind == seen.kind)
    path = FINDINGS / f"{target.name}-{hashlib.sha256(least).hexdigest()[:12]}"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(least)
    return _finding_text(target, path, judge(target, least))


def _finding_text(target: Target, path: Path, seen: InputResult) -> str:
    return (
        f"{seen.fault}\n{path.stat().st_size} bytes, to be seen again by\n"
        f"  python -m fuzz {target.name} --input {path.relative_to(ROOT)}"
    )


def _figures(
    target: Target, tally: Tally, began: float, suspects: int, finding: str = ""
) -> TargetFigures:
    return TargetFigures(
        target.name, tally.inputs, monotonic() - began, *tally[1:], suspects, finding
    )


if __name__ == "__main__":
    print(json.dumps(asdict(fuzz(find(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])))))
