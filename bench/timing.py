"""Whether anybody is accused where the machine is busy: what judges time, under load."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench import kept, stability
from touchstone.verdicts import Verdict

ROOT = Path(__file__).parents[1]
JUDGES = {"bounded", "in_time", "timed", "none_early", "no_overlap"}
"""What a scenario calls that judges when something happened, or how long it took."""
_WORKERS = 4
"""In which a run's scenarios wait for processors, and for each other."""
_SPIN = "print(flush=True)\nwhile True: pass"


@dataclass(frozen=True)
class UnderLoad:
    """Runs beside so many processes that want a processor each."""

    load: int
    runs: Sequence[stability.StabilityRun]

    @property
    def counts(self) -> Mapping[str, int]:
        """How many verdicts there were of each kind, over all runs."""
        return sum((Counter(run.counts) for run in self.runs), Counter[str]())

    @property
    def accused(self) -> Mapping[str, int]:
        """In how many runs each requirement was VIOLATES."""
        return Counter(
            id_
            for run in self.runs
            for id_, verdict in run.verdicts.items()
            if verdict == Verdict.VIOLATES.value
        )

    @property
    def reasons(self) -> Sequence[str]:
        """Why, in each of these runs."""
        return [f"{id_}: {why}" for run in self.runs for id_, why in run.violated.items()]


def scenarios_that_judge_time() -> list[str]:
    """The ids of the scenarios that call something of JUDGES, or something beside them does."""
    listed = subprocess.run(
        [sys.executable, "-m", "touchstone", "list", "--json"],
        check=True, capture_output=True, cwd=ROOT,
    )  # fmt: skip
    functions: dict[str, set[str]] = {}
    scenario_ids = []
    for scenario in json.loads(listed.stdout)["scenarios"]:
        module, _, name = scenario["node"].partition("::")
        if module not in functions:
            functions[module] = functions_that_judge_time((ROOT / module).read_text())
        if name.partition("[")[0] in functions[module]:
            scenario_ids.append(scenario["id"])
    return scenario_ids


def functions_that_judge_time(source: str) -> set[str]:
    """The functions of a module that call something of JUDGES, or name one there that does."""
    named = {
        function.name: {
            *(node.id for node in ast.walk(function) if isinstance(node, ast.Name)),
            *(node.attr for node in ast.walk(function) if isinstance(node, ast.Attribute)),
            *(each.arg for each in function.args.args),
        }
        for function in ast.walk(ast.parse(source))
        if isinstance(function, ast.FunctionDef)
    }
    judging: set[str] = set()
    while more := {name for name, names in named.items() if names & (JUDGES | judging)} - judging:
        judging |= more
    return judging


@contextmanager
def load(count: int) -> Iterator[None]:
    """So many processes that want a processor each, for as long as the block runs."""
    with ExitStack() as stack:
        for _ in range(count):
            spinning = stack.enter_context(
                subprocess.Popen([sys.executable, "-c", _SPIN], stdout=subprocess.PIPE)
            )
            stack.callback(spinning.kill)
            assert spinning.stdout is not None
            spinning.stdout.readline()
        yield


def measure(
    provider: str, loads: Sequence[int], runs: int, at_once: int, scenarios: Sequence[str]
) -> Iterator[UnderLoad]:
    """Run the scenarios so many times under each load, each with a seed of its own.

    So many runs at once are load for each other, too.
    """
    options = [option for each in scenarios for option in ("--scenario", each)]

    def run(_: int) -> stability.StabilityRun:
        [only] = stability.runs(provider, _WORKERS, 1, options)
        return only

    for count in loads:
        with load(count), ThreadPoolExecutor(at_once) as threads:
            yield UnderLoad(count, [*threads.map(run, range(runs))])


def keep(provider: str, at_once: int, scenarios: Sequence[str], seen: Sequence[UnderLoad]) -> Path:
    """Write what was seen to bench/results; gives the file."""
    figures = [
        {
            "load": load_run.load,
            "runs": len(load_run.runs),
            "counts": load_run.counts,
            "accused": load_run.accused,
        }
        for load_run in seen
    ]
    arguments = {"provider": provider, "at_once": at_once, "scenarios": scenarios or None}
    return kept.keep("timing", arguments, {"loads": figures})
