"""Wrong kernels: one token of a kernel is changed, and the oracle must notice.

    python -m kernels.kernel_mutants [--every N] [--naming TEXT] [module ...]

makes each mutant of the modules (all of jms_histories.kernels that judge histories, by default) and
shows it some hundred small histories whose findings the slow oracle knows, those first that killed
others. A mutant is killed if it finds anything else, has another power, raises or does not end, or
if a test fails of what its module is besides (TESTS). Survivors must be argued for in
kernel_equivalents.txt; a line there that argues for nothing is told as well. Exits with 1 if
there is either.
"""

from __future__ import annotations

import argparse
import importlib
import mmap
import os
import resource
import signal
import struct
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from random import Random
from types import FunctionType, ModuleType
from typing import Any, Final

import pytest
from hypothesis import Phase, settings

from kernels.kernel_changes import PACKAGE, Mutant, compiled, mutants, unchanged

HERE: Final = Path(__file__).parent
EQUIVALENTS: Final = HERE / "kernel_equivalents.txt"
SECONDS: Final = 5
"""Of processor time for a history, which takes hundredths; what needs more does not end."""
SECONDS_OF_TESTS: Final = 60
"""The same for the tests of a module, which take ten at most."""
PROFILE: Final = "mutants"
"""How Hypothesis runs their tests: always the same examples, and what fails is not made small."""
BYTES: Final = 2 << 30
"""Of memory, beyond what there is."""

EXACT: Final = (
    "arrays.segments",
    "arrays.timelines",
    "collecting",
    "links.group_links",
    "links.judging",
    "links.merging",
    "messages.arrivals",
    "messages.dead_letters",
    "messages.index",
    "messages.judging",
    "messages.obligated",
    "messages.repeats",
    "sessions.judging",
    "predicates.fault_windows",
    "predicates.groups",
    "predicates.obligations",
    "predicates.rows",
    "predicates.subscriptions",
    "whole",
)
SCREENING: Final = (
    "arrays.groups",
    "arrays.highest",
    "arrays.interning",
    "packing",
    "screening.block_bits",
    "screening.fingerprints",
    "screening.plan",
    "screening.reduction",
    "screening.send_scan",
    "screening.session_scan",
    "screening.suspects",
    "sessions.chunks",
    "sessions.group_scan",
    "sessions.order_scan",
    "sessions.priority_scan",
    "sessions.recover_scan",
    "sessions.row_scan",
    "sessions.serial_scan",
)
TESTS: Final = {
    "arrays.groups": "test_kernel_groups.py",
    "arrays.interning": "test_kernel_interning.py",
    "arrays.segments": "test_kernel_segments.py",
    "collecting": "test_collecting.py",
    "packing": "test_kernel_packing.py",
    "screening.block_bits": "test_screened_state.py",
    "screening.fingerprints": "test_fingerprints.py",
    "screening.reduction": "test_kernel_reduction.py",
    "screening.send_scan": "test_screened_state.py",
    "screening.session_scan": "test_screened_state.py",
    "screening.suspects": "test_kernel_suspects.py",
    "sessions.chunks": "test_screened_state.py",
}
"""Tests of modules of which small histories do not show all that their docstrings promise."""


# --- what they are shown


@dataclass(frozen=True)
class Shown:
    """A small history, how it is to be cut, what is to be found and summed up, whom to suspect."""

    sends: Any
    deliveries: Any
    spec: Any
    seed: int
    findings: list[Any]
    power: dict[str, int]
    streamed: dict[str, object]
    suspects: list[int]


@cache
def shown(count: int = 300) -> tuple[Shown, ...]:
    """Histories with each offence, legal ones and changed ones, and such at the edges."""
    from histories.history_changes import changed
    from histories.injections import OFFENCES, injected
    from histories.small_histories import deliveries_of, sends_of, spec_of
    from jms_histories.checks import judge
    from jms_histories.checks.small_history import DeliveryRow, SmallHistory
    from kernels.edge_histories import EDGES, NUMBERS, disordered, outermost, wide
    from kernels.slow_screening import suspects
    from kernels.slow_statistics import streamed
    from tiny_provider import legal

    histories = []
    for seed in range(count):
        random = Random(seed)
        numbers = NUMBERS[seed % len(NUMBERS)]
        history = legal(random, faults=seed % 3 == 0, numbers=numbers)
        history = changed(history, random, seed % 13)
        histories.append(disordered(history, random) if seed % 11 == 5 else history)
    offences = list(OFFENCES)
    histories[10:10] = [injected(histories[n], check) for n, check in enumerate(offences)]
    for share, edge in EDGES:
        histories += [edge(Random(seed)) for seed in range(count // share)]
    histories += [
        SmallHistory(),
        SmallHistory(deliveries=(DeliveryRow(0, 0, 0, 0, 1),)),
        wide(Random(count)),
        wide(Random(count + 1)),
        *[outermost()] * 4,  # which are cut differently
    ]
    return tuple(
        Shown(
            *(sends_of(history), deliveries_of(history), spec_of(history), seed),
            *judge(history),
            streamed(history),
            suspects(history),
        )
        for seed, history in enumerate(histories)
    )


def installed(mutant: Mutant) -> None:
    """Put the mutant into the kernels of this process.

    A function gets the code of the mutant's. What is done when a module is imported is done anew,
    and so is all that may have looked at it.
    """
    module = sys.modules[f"{PACKAGE}.{mutant.module}"]
    if (function := function_of(module, mutant)) is None:
        _imported(mutant)
        return
    changed = dict(vars(module))
    exec(compiled(mutant), changed)
    other = function_of(changed[mutant.function.partition(".")[0]], mutant, within=1)
    assert other is not None, mutant
    function.__code__ = other.__code__
    function.__defaults__, function.__kwdefaults__ = other.__defaults__, other.__kwdefaults__


def function_of(owner: Any, mutant: Mutant, within: int = 0) -> FunctionType | None:
    """The outermost function around the mutant's token; None if no function is."""
    for name in mutant.function.split(".")[within:]:
        if isinstance(owner, FunctionType):
            break
        owner = vars(owner).get(name)
        for wrapped in ("func", "fget", "__func__"):
            owner = getattr(owner, wrapped, owner)
    return owner if isinstance(owner, FunctionType) and not owner.__closure__ else None


def _imported(mutant: Mutant) -> None:
    for name in list(sys.modules):
        if name.startswith(f"{PACKAGE}.") or name == "kernels.screened_plan":
            del sys.modules[name]
    name = f"{PACKAGE}.{mutant.module}"
    module = ModuleType(name)
    sys.modules[name] = module
    room, _, name = name.rpartition(".")
    setattr(importlib.import_module(room), name, module)
    exec(compiled(mutant), vars(module))
    importlib.reload(importlib.import_module("kernels.kernel_agreement"))


def differing(histories: Sequence[Shown], module: str, tell: Callable[[int], object]) -> bool:
    """Whether the kernels that are installed answer otherwise than the oracle.

    Before each history its place is told: a kernel that does not end is ended there, from outside.
    """
    agreement = importlib.import_module("kernels.kernel_agreement")
    for place, history in enumerate(histories):
        tell(place)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        if not agreement.agrees(history, screening=module in SCREENING):
            return True
    return False


def fails_tests(module: str) -> bool:
    """Whether a test of the module fails, of the kernels that are installed."""
    if module not in TESTS:
        return False
    signal.setitimer(signal.ITIMER_PROF, SECONDS_OF_TESTS)
    profile = f"--hypothesis-profile={PROFILE}"
    options = ("-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", profile)
    return pytest.main([*options, str(HERE / TESTS[module])]) != pytest.ExitCode.OK


def killed(mutant: Mutant, histories: list[Shown]) -> bool:
    """Whether the oracle or a test notices the mutant, run in a process of its own.

    The history that told is the first from then on.
    """
    place = mmap.mmap(-1, 8)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            size = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
            most = size * mmap.PAGESIZE + BYTES
            resource.setrlimit(resource.RLIMIT_AS, (most, most))
            with Path(os.devnull).open("w") as nowhere:
                os.dup2(nowhere.fileno(), 1)
                os.dup2(nowhere.fileno(), 2)
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            installed(mutant)
            tell = partial(struct.pack_into, "q", place, 0)
            wrong = differing(histories, mutant.module, tell)
            if not wrong:
                tell(0)
                wrong = fails_tests(mutant.module)
            status = 1 if wrong else 0
        finally:
            os._exit(status)
    dead = os.waitpid(child, 0)[1] != 0
    if dead:
        (told,) = struct.unpack_from("q", place, 0)
        histories.insert(0, histories.pop(told))
    return dead


# --- the command


def equivalents() -> dict[str, str]:
    """Mutants that no history can tell from the kernel, each with the argument."""
    argued: dict[str, str] = {}
    why = ""
    for line in EQUIVALENTS.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            why = line[1:].strip()
        elif line.strip():
            argued[line.strip()] = why
    return argued


def main() -> int:
    """Run the mutants that are asked for, and tell which survive."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", choices=[[], *EXACT, *SCREENING])
    parser.add_argument("--every", type=int, default=1, help="only each N-th mutant")
    parser.add_argument("--naming", default="", help="only those in whose name this is")
    parser.add_argument("--histories", type=int, default=300)
    parser.add_argument("--argued", action="store_true", help="only those that are argued for")
    arguments = parser.parse_args()
    argued = equivalents()
    modules = arguments.modules or (*EXACT, *SCREENING)
    histories = list(shown(arguments.histories))
    importlib.import_module("kernels.kernel_agreement")
    settings.register_profile(
        PROFILE,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
    )
    for module in {(module in SCREENING, TESTS.get(module)): module for module in modules}.values():
        if killed(unchanged(module), histories):
            parser.error(f"{module} differs from the oracle as it is: mend that first")
    survived, names = 0, set[str]()
    for module in modules:
        every = mutants(module)
        names.update(mutant.name for mutant in every)
        named = [mutant for mutant in every if arguments.naming in mutant.name]
        chosen = [
            candidate for candidate in named if (candidate.name in argued) is arguments.argued
        ]
        chosen = chosen[:: arguments.every]
        before = survived
        for mutant in chosen:
            if not killed(mutant, histories):
                survived += 1
                _tell(f"survived  {mutant.name}")
        survivors = survived - before
        _tell(f"{module}: {len(chosen)} mutants of {len(every)} tried, {survivors} survived")
    of_modules = [
        name for name in argued if name.startswith(tuple(f"{prefix}." for prefix in modules))
    ]
    idle = [name for name in of_modules if name not in names]
    _tell(*(f"no such mutant  {name}" for name in idle))
    _tell(f"{survived} survived; {len(of_modules)} argued to be equivalent")
    return 1 if survived or idle else 0


def _tell(*lines: str) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines)
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
