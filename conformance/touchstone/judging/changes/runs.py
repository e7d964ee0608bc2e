"""A process that stays warm with the whole catalogue, and what it finds of a task."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from jms_brokers.shared.settings import BrokerSettings
from touchstone.brokers.broker_set import BrokerSet
from touchstone.brokers.sharing import BrokerServer
from touchstone.judging.changes import changed_reference
from touchstone.judging.changes.task import ChangeTask, ScenarioResult, read_told
from touchstone.judging.controller_brokers import tell_workers
from touchstone.judging.warm_pytest import WarmPytest, warm_pytest

Asked = TypeVar("Asked")
Given = TypeVar("Given")
_LEAST_PATIENCE = 10.0
"""Seconds for a scenario, however short: a busy machine is no hang."""
_PATIENCE_FACTOR = 4.0


@dataclass(frozen=True)
class ChangeRuns:
    """Makes runs of one provider; several threads may ask at a time."""

    provider: str
    seed: int
    folder: Path
    command: Callable[[Sequence[str], Sequence[str]], list[str]]
    """A run's command line, from files of scenarios and options."""
    process: WarmPytest

    def run(self, task: ChangeTask, files: Iterable[str], longest: float) -> list[ScenarioResult]:
        """What a run of `files` tells; a scenario may take a few times `longest` seconds."""
        name = uuid.uuid4().hex
        file, told = self.folder / f"{name}.json", self.folder / f"{name}.jsonl"
        replace(task, told=str(told)).write(file)
        patience = max(_LEAST_PATIENCE, _PATIENCE_FACTOR * longest)
        options = [
            *_options(self.provider), changed_reference.OPTION, str(file),
            "--touchstone-seed", str(self.seed), "--brokers-of", str(self.folder),
            "--touchstone-timeout", f"{patience:g}", "--no-reports",
            "--results-dir", str(self.folder / name),
        ]  # fmt: skip
        self.process.run(self.command(sorted(files), options)[2:], self.folder / f"{name}.log")
        return read_told(told)


@contextmanager
def warm_runs(
    provider: str,
    files: Sequence[str],
    command: Callable[[Sequence[str], Sequence[str]], list[str]],
    environment: Mapping[str, str],
    folder: Path,
    *,
    seed: int,
) -> Iterator[ChangeRuns]:
    """A process that has collected `files`."""
    with warm_pytest(command(files, _options(provider)), environment, folder / "warm.log") as warm:
        yield ChangeRuns(provider, seed, folder, command, warm)


def on_fresh_brokers(
    settings: BrokerSettings,
    folder: Path,
    asked: Sequence[Asked],
    answer: Callable[[Asked], Given],
    *,
    at_once: int,
    each: int,
) -> Iterator[Given]:
    """The answers in their order, a broker being asked by no more than `each`."""
    for first in range(0, len(asked), each):
        with (
            BrokerSet(settings) as brokers,
            closing(BrokerServer(brokers)) as server,
            ThreadPoolExecutor(at_once) as pool,
        ):
            brokers.address()  # started now, and not in the time of the first run
            tell_workers(folder, server)
            yield from pool.map(answer, asked[first : first + each])


def _options(provider: str) -> list[str]:
    return ["--provider", provider, "-p", changed_reference.NAME]
