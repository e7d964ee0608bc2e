"""Proves that the catalogue notices faults: runs wrong clients that scenarios have to find.

Each wrong client is judged by the scenarios of its own requirement ids. It counts as noticed when
one of these ids is VIOLATES; a crash, another id, or a clean run does not count. Its run ends at
the first scenario that fails, unless that one says nothing of these ids, or the whole is asked for.
What noticed it when that was last kept is asked first, alone.
A wrong client may be for certain scenarios alone: then these have to find each of its ids in
violation, and all of them run where there are several ids.

With --hunt who was not noticed is judged by programs that are drawn for some minutes on what its
ids are about, as `touchstone hunt --requirement ID` does.

Where nothing could be said, since others kept the machine busy, it is judged once more, alone. In
the end the right client is judged by every scenario that noticed a wrong one: what it does not pass
has noticed nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from jms_clients.mutants.mutant import DAMAGED, WORKLOADS, Mutant
from jms_clients.mutants.noticing import keep, noticing_scenarios
from jms_clients.mutants.registry import all_mutants, mutant
from jms_clients.registry import load_provider
from jvm_runtime.own_folders import OwnFolder, environment
from touchstone.brokers.option import broker_settings
from touchstone.catalogue import Library, load_library
from touchstone.catalogue.items import Scenario
from touchstone.catalogue.scenarios import (
    by_requirement,
    collect_scenarios,
    modules_by_requirement,
)
from touchstone.commands import changes
from touchstone.commands.output import add_json, print_json, print_table
from touchstone.commands.run import arguments_of_pytest, command
from touchstone.commands.runs import newest_run
from touchstone.errors import UsageError
from touchstone.judging.controller_brokers import BrokersOfSome
from touchstone.judging.proof import Notice, Proof, enough, parts_of_control
from touchstone.judging.warm_pytest import WarmPytest, warm_pytest
from touchstone.verdicts import ExitStatus, Verdict
from touchstone_reports.results import read

AT_ONCE = 3 * len(os.sched_getaffinity(0))
"""Wrong clients at a time: they mostly wait."""
CLIENTS_OF_A_BROKER = 100
"""Then there is a fresh one: what runs leave behind fills the heap of an embedded broker."""
LINES_KEPT = 25
"""Of what the run of an unnoticed wrong client printed: its summary, with reasons."""
PASSED = (Verdict.CONFORMS, Verdict.DEVIATES)

T = TypeVar("T")
Task = Callable[[Sequence[str]], T]
"""What is done with the options that tell a run of its broker."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which wrong clients."""
    parser.add_argument("--mutant", action="append", default=[], metavar="NAME")
    parser.add_argument("--area", action="append", default=[], metavar="AREA")
    parser.add_argument(
        "--at-once",
        type=int,
        default=AT_ONCE,
        metavar="N",
        help="default: three for each processor",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="default: 1")
    parser.add_argument(
        "--whole",
        action="store_true",
        help="run every scenario of a wrong client's ids, to see which of them notice it",
    )
    parser.add_argument(
        "--sample",
        type=int,
        metavar="N",
        help="only N of the wrong clients, or of the changes, drawn by the commit",
    )
    parser.add_argument(
        "--drawn", action="store_true", help="drawn programs judge the wrong clients, too"
    )
    parser.add_argument(
        "--hunt",
        type=float,
        default=0.0,
        metavar="MINUTES",
        help="then draw on for so long on the ids of each one that was not noticed",
    )
    parser.add_argument(
        "--keep",
        action="store_true",
        help="write down what noticed each wrong client: that is asked first from then on",
    )
    changes.add_arguments(parser)
    parser.add_argument("--offline", action="store_true", help="download nothing")
    add_json(parser)


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Judge the wrong clients on brokers that they share, and print who was noticed."""
    if changes.is_asked(arguments):
        return changes.run(arguments)
    library = load_library()
    chosen = choose(arguments)
    _check(chosen, library)
    hunt = _Hunt(arguments.hunt * 60, _drawing(library) if arguments.hunt else {})
    modules = modules_by_requirement(library)
    with ExitStack() as stack:
        folder = stack.enter_context(OwnFolder("prove"))
        warm = stack.enter_context(_warm_process(chosen, modules, folder))
        proofs = _prove_all(chosen, modules, arguments, hunt, folder, warm)
    proofs.sort(key=lambda proof: (proof.mutant.area, proof.mutant.name))
    if arguments.keep:
        keep({proof.mutant.name: proof.noticing for proof in proofs if not proof.problem})
    if arguments.json:
        print_json({"format": 1, "proofs": [proof.as_dict() for proof in proofs]})
    else:
        noticed = [proof for proof in proofs if not proof.problem]
        hunted = sum(proof.hunted for proof in noticed)
        print_table(
            f"{len(noticed)} of {len(proofs)} wrong clients were noticed"
            + (f", {hunted} of them by a hunt" if arguments.hunt else ""),
            ("area", "wrong client", "noticed by", "seconds", "problem"),
            (
                (
                    p.mutant.area,
                    p.mutant.name,
                    " ".join(p.noticed_by),
                    round(p.seconds, 1),
                    p.problem,
                )
                for p in proofs
            ),
        )
    unnoticed = [proof for proof in proofs if proof.problem]
    if unnoticed:
        _explain(unnoticed)
    return ExitStatus.UNEXPECTED if unnoticed else ExitStatus.NOTHING_UNEXPECTED


def choose(arguments: argparse.Namespace) -> list[Mutant]:
    """The wrong clients that are asked for, in order; `UsageError` for what there is not."""
    for name in arguments.mutant:
        mutant(name)  # which says what there is instead
    areas = sorted({wrong.area for wrong in all_mutants().values()})
    if unknown := sorted(set(arguments.area) - set(areas)):
        raise UsageError(
            f"No wrong client is of an area {unknown[0]!r}", hint=f"Known: {', '.join(areas)}."
        )
    chosen = [
        wrong
        for wrong in sorted(all_mutants().values(), key=_running_order)
        if (not arguments.mutant or wrong.name in arguments.mutant)
        and (not arguments.area or wrong.area in arguments.area)
    ]
    if not chosen:
        raise UsageError("No wrong client was chosen", hint="See `touchstone providers --mutants`.")
    if arguments.sample is None:
        return chosen
    return changes.drawn_sample(chosen, arguments.sample, changes.commit())


def _running_order(wrong: Mutant) -> tuple[bool, str, str]:
    """Where it stands in the order: those for certain scenarios, which take long, come first."""
    return not wrong.scenarios, wrong.area, wrong.name


def _warm_process(
    chosen: Sequence[Mutant], modules: Mapping[str, frozenset[Path]], folder: Path
) -> AbstractContextManager[WarmPytest]:
    """A process that has collected whatever the wrong clients are judged by."""
    files = sorted({file for wrong in chosen for file in _files(wrong, modules)})
    line = command(files, ["--provider", chosen[0].spelling])
    return warm_pytest(line, environment(folder), folder / "warm.log")


def _files(wrong: Mutant, modules: Mapping[str, frozenset[Path]]) -> list[str]:
    """The modules with scenarios of its requirements."""
    return sorted({str(module) for id_ in wrong.violates for module in modules.get(id_, ())})


def _prove_all(
    chosen: Sequence[Mutant],
    modules: Mapping[str, frozenset[Path]],
    arguments: argparse.Namespace,
    hunt: _Hunt,
    folder: Path,
    warm: WarmPytest,
) -> list[Proof]:
    """What becomes of `chosen`, and of the right clients in the scenarios that noticed them."""
    drawn = ("--drawn",) if arguments.drawn else ()
    given = ("--touchstone-seed", str(arguments.seed), *drawn)
    settings = broker_settings("embedded", offline=arguments.offline)
    with ExitStack() as stack:
        pool = ThreadPoolExecutor(arguments.at_once)

        def brokers_of(name: str, runs: int | None) -> BrokersOfSome:
            brokers = BrokersOfSome(settings, folder / name, runs)
            stack.callback(brokers.close)
            return brokers

        def all_of(tasks: Sequence[Callable[[], T]]) -> list[T]:
            futures = [pool.submit(task) for task in tasks]
            stack.callback(pool.shutdown, cancel_futures=True)
            return [future.result() for future in futures]

        few = 2 * len(chosen) <= CLIENTS_OF_A_BROKER
        shared = brokers_of("all", None) if few else None

        def prove(wrong: Mutant, brokers: BrokersOfSome) -> Proof:
            files = _files(wrong, modules)
            task = partial(_prove, warm, wrong, files, given, hunt, folder, arguments.whole)
            return _on_broker(wrong.spelling, task, brokers)

        tasks = []
        for first in range(0, len(chosen), CLIENTS_OF_A_BROKER):
            some = chosen[first : first + CLIENTS_OF_A_BROKER]
            brokers = shared or brokers_of(f"wrong-{first}", len(some))
            tasks += [partial(prove, wrong, brokers) for wrong in some]
        proofs = all_of(tasks)
        if any(proof.is_undecided for proof in proofs):
            brokers = shared or brokers_of("alone", None)
            proofs = [prove(p.mutant, brokers) if p.is_undecided else p for p in proofs]
        parts = parts_of_control(proofs, arguments.at_once)
        brokers = shared or brokers_of("right", len(parts))
        rights = []
        for index, (name, part) in enumerate(parts):
            control = partial(_control, warm, name, part, given, folder / f"right-{index}", modules)
            rights.append(partial(_on_broker, name, control, brokers))
        right = {key: why for failures in all_of(rights) for key, why in failures.items()}
    return [proof.controlled(right) for proof in proofs]


def _on_broker(provider: str, task: Task[T], brokers: BrokersOfSome) -> T:
    with brokers.used_by_one() as shared:
        ours = load_provider(provider).broker_family == brokers.family
        return task(["--brokers-of", str(shared)] if ours else [])


def _control(
    warm: WarmPytest,
    provider: str,
    notices: Sequence[Notice],
    given: Sequence[str],
    folder: Path,
    modules: Mapping[str, frozenset[Path]],
    brokers: Sequence[str],
) -> dict[tuple[str, str], str]:
    """Why the right client does not pass what noticed a wrong one, by scenario and requirement."""
    files = sorted({str(module) for n in notices for module in modules[n.requirement]})
    wanted = [word for n in notices for word in ("--scenario", n.scenario)]
    asked = ["--provider", provider, "--results-dir", str(folder), "--no-reports", *given, *brokers]
    warm.run(arguments_of_pytest(files, [*asked, *wanted]), folder.with_suffix(".log"))
    run_dir = newest_run(folder)
    judged = read(run_dir).judgements if run_dir is not None else ()
    verdicts = {(judgement.scenario, judgement.requirement): judgement for judgement in judged}
    failed = {}
    for notice in notices:
        key = notice.scenario, notice.requirement
        judgement = verdicts.get(key)
        if judgement is None or judgement.verdict not in PASSED:
            failed[key] = (
                f"{judgement.verdict.value}: {judgement.reason}"
                if judgement
                else "it was not judged"
            )
    return failed


def _explain(unnoticed: Sequence[Proof]) -> None:
    """Say why on standard error, below the table; the names last, where logs are cut least."""
    for proof in unnoticed:
        sys.stderr.write(f"\n{proof.mutant.name}: {proof.problem}\n")
        for line in proof.printed.splitlines()[-LINES_KEPT:]:
            sys.stderr.write(f"  {line}\n")
    names = ", ".join(proof.mutant.name for proof in unnoticed)
    sys.stderr.write(f"\nNot noticed: {names}\n")


def _check(chosen: Sequence[Mutant], library: Library) -> None:
    for wrong in chosen:
        if not wrong.violates:
            raise UsageError(f"{wrong.name} names no requirement", hint="Name what it violates.")
        for id_ in wrong.violates:
            if id_ not in library.requirements:
                raise UsageError(
                    f"{wrong.name} violates {id_}, which is no known requirement",
                    hint="See `touchstone list`.",
                )


def _drawing(library: Library) -> Mapping[str, Sequence[Scenario]]:
    """The scenarios that draw programs, by requirement."""
    return by_requirement(tuple(each for each in collect_scenarios(library) if each.is_drawn))


@dataclass(frozen=True)
class _Hunt:
    """For whom a run did not notice: drawn programs on what its ids are about, for longer."""

    seconds: float
    scenarios: Mapping[str, Sequence[Scenario]]
    """Those that draw programs, by requirement."""

    def options(self, wrong: Mutant) -> Sequence[str]:
        """Those of the run that hunts; none if no drawn program judges its ids."""
        names = sorted({each.id for id_ in wrong.violates for each in self.scenarios.get(id_, ())})
        chosen = [word for name in names for word in ("--scenario", name)]
        return ["--touchstone-hunt", str(self.seconds / len(names)), *chosen] if names else []


def _prove(
    warm: WarmPytest,
    wrong: Mutant,
    files: Sequence[str],
    given: Sequence[str],
    hunt: _Hunt,
    temporary: Path,
    whole: bool,
    brokers: Sequence[str],
) -> Proof:
    begun = time.monotonic()
    if not files:
        return Proof(wrong, (), f"no scenario judges {', '.join(wrong.violates)}", 0.0)

    def proof(*more: str) -> Proof:
        options = [*given, *brokers, *more]
        notices, problem, printed = _judge_wrong_client(warm, wrong, files, options, temporary)
        return Proof(wrong, notices, problem, time.monotonic() - begun, printed)

    def hunted(judged: Proof) -> Proof:
        more = hunt.options(wrong) if judged.problem else ()
        return replace(proof(*more), hunted=True) if more else judged

    if whole:
        return hunted(proof())
    known = [
        word for name in noticing_scenarios().get(wrong.name, ()) for word in ("--scenario", name)
    ]
    if known and not (again := proof(*known)).problem:
        return again
    if wrong.scenarios and len(wrong.violates) > 1:
        return hunted(proof())
    first = proof("--exitfirst")
    return hunted(proof()) if first.problem else first


def _judge_wrong_client(
    warm: WarmPytest, wrong: Mutant, files: Sequence[str], options: Sequence[str], temporary: Path
) -> tuple[tuple[Notice, ...], str, str]:
    """What noticed it in a run, and, if not enough, why and what the run printed."""
    wanted = [part for id_ in wrong.violates for part in ("--requirement", id_)]
    name, folder = wrong.spelling, temporary / wrong.name
    only = wrong.scenarios or f"not ({WORKLOADS} or {DAMAGED})"
    asked = [
        *("--provider", name, "--results-dir", str(folder), "--no-reports"),
        *(*options, *wanted, "-k", only),
    ]
    output = temporary / f"{wrong.name}.log"
    warm.run(arguments_of_pytest(files, asked), output)
    printed = output.read_text(errors="replace")
    run_dir = newest_run(folder)
    if run_dir is None:
        return (), "nothing was judged", printed
    results = read(run_dir)
    notices = tuple(
        Notice(judged.requirement, judged.scenario, judged.reason or "")
        for judged in results.judgements
        if judged.requirement in wrong.violates and judged.verdict == Verdict.VIOLATES
    )
    noticed = {notice.requirement for notice in notices}
    if enough(wrong, [id_ for id_ in wrong.violates if id_ in noticed]):
        return notices, "", ""
    worst = results.worst_by_requirement(name)
    seen = json.dumps({id_: worst[id_].value for id_ in wrong.violates if id_ in worst})
    return notices, f"not noticed: {seen}", printed
