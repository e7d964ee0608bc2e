"""One process that makes inputs for one target until one looks bad, or enough were made.

There are two ways. LED is Atheris: it keeps what reaches new code, but its code is instrumented,
and many times slower. PLAIN changes what is kept at random, in code as it runs elsewhere.
"""

from __future__ import annotations

import resource
import signal
import sys
from pathlib import Path
from random import Random
from time import monotonic
from typing import Final, Literal

from fuzz.mutations import structure
from fuzz.suspicion import watch
from fuzz.targets import Target, find

_OURS = ["jmsapi", "pulsar_jms", "touchstone", "touchstone_reports", "jms_scenarios"]
_HANG = 120
"""Seconds of any kind, by the engine's own clock."""
_MOST = 1024
"""MiB that a process may take."""
_CHANGES = (1, 1, 1, 2, 2, 3, 4, 8)
"""How many changes in turn make a new input."""

Way = Literal["led", "plain"]
LED: Final = "led"
PLAIN: Final = "plain"
CORPUS = "corpus"
"""Name in the folder of a run: what LED kept."""


def main() -> None:
    """Make inputs for the target that the command line names; then end.

    Arguments: the way, the target, the folder of the run, a time by the monotonic clock, and how
    many inputs, -1 for any number.
    """
    way, name, folder, until, inputs = sys.argv[1:]
    make = _fuzz_led if way == LED else _fuzz_plainly
    make(name, Path(folder), float(until), int(inputs))


def _fuzz_led(name: str, folder: Path, until: float, inputs: int) -> None:
    import atheris

    with atheris.instrument_imports(include=_OURS):
        target = find(name)

    def mutated(data: bytes, longest: int, seed: int) -> bytes:
        if target.mutate is None or seed % 2:
            other: bytes = atheris.Mutate(data, longest)
            return other
        return target.mutate(data, Random(seed))[:longest]

    flags = [
        f"-artifact_prefix={folder}/",
        f"-max_len={target.longest}",
        f"-max_total_time={max(int(until - monotonic()), 1)}",
        f"-runs={inputs}",
        f"-timeout={_HANG}",
        f"-rss_limit_mb={_MOST}",
    ]
    folders = [str(folder / CORPUS), str(target.corpus)]
    atheris.Setup([name, *flags, *folders], watch(target, folder), custom_mutator=mutated)
    atheris.Fuzz()


def _fuzz_plainly(name: str, folder: Path, until: float, inputs: int) -> None:
    target, random = find(name), Random()
    places = (target.corpus, folder / CORPUS)
    kept = [path.read_bytes() for place in places for path in place.iterdir()]
    decode = watch(target, folder)
    resource.setrlimit(
        resource.RLIMIT_DATA, (_data_bytes() + (_MOST << 20), resource.RLIM_INFINITY)
    )
    while inputs and monotonic() < until:
        signal.alarm(_HANG)
        decode(_mutate(target, random.choice(kept), random))
        inputs -= 1


def _mutate(target: Target, data: bytes, random: Random) -> bytes:
    mutations = [structure, target.mutate or structure]
    for _ in range(random.choice(_CHANGES)):
        data = random.choice(mutations)(data, random)[: target.longest]
    return data


def _data_bytes() -> int:
    """Bytes of data that this process has now."""
    pages = int(Path("/proc/self/statm").read_text().split()[5])
    return pages * resource.getpagesize()


if __name__ == "__main__":
    main()
