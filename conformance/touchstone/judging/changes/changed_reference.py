"""A plug-in of pytest for forked runs: one change is switched on, or what is reached recorded.

A process that stays warm loads it as well, with no task: it finds the functions of the reference
there, once for all its runs.
"""

from __future__ import annotations

import json
import resource
import signal
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from jms_clients.mutants.changes import in_place
from jms_clients.mutants.changes.reference import ReferenceSources
from touchstone.judging.changes.task import ChangeTask, ScenarioResult
from touchstone.judging.hooks import RESULT, SCENARIO
from touchstone.verdicts import Verdict

NAME = "touchstone.judging.changes.changed_reference"
OPTION = "--touchstone-task"
_ROOM = 4 * 2**30
"""Bytes of data that a run may have: whoever wants more is wrong in a way that no scenario sees."""
_warm: list[ReferenceSources] = []


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option that names the task."""
    parser.addoption(OPTION, dest="touchstone_task", type=Path, default=None)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The reference has been imported and scenarios chosen: now the task begins."""
    reference = _reference()
    in_place.functions_here(in_place.files_of(reference))
    if config.option.touchstone_task is None:
        return
    task = ChangeTask.read(config.option.touchstone_task)
    resource.setrlimit(resource.RLIMIT_DATA, (_ROOM, _ROOM))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, task.seconds)
    if task.scenarios:
        place = {scenario: index for index, scenario in enumerate(task.scenarios)}
        asked = [item for item in items if item.stash[SCENARIO].id in place]
        items[:] = sorted(asked, key=lambda item: place[item.stash[SCENARIO].id])
    reached: set[tuple[str, int]] = set()
    if task.change is not None:
        in_place.switch_on(reference, reference.change(task.change))
    else:
        in_place.record(reference, reached.add)
    config.pluginmanager.register(_Teller(task, reached), "touchstone teller")


def _reference() -> ReferenceSources:
    if not _warm:
        _warm.append(ReferenceSources.installed())
        _warm[0].changes  # noqa: B018 - found once, and not by every run
    return _warm[0]


class _Teller:
    """Tells what became of each scenario; ends the run when one has noticed."""

    def __init__(self, task: ChangeTask, reached: set[tuple[str, int]]) -> None:
        self._task = task
        self._reached = reached
        self._session: pytest.Session | None = None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        self._reached.clear()
        self._session = item.session
        return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        result = dict(report.user_properties).get(RESULT)
        if result is None:
            return
        lines = json.loads(str(result))["lines"]
        told = ScenarioResult(
            lines[0]["scenario"],
            report.nodeid.partition("::")[0],
            lines[0]["duration"],
            {line["requirement"]: line["verdict"] for line in lines},
            next((str(x["reason"]) for x in lines if x["verdict"] == Verdict.VIOLATES), ""),
            tuple(sorted(self._reached.copy())),
        )
        with Path(self._task.told).open("a", encoding="utf-8") as file:
            file.write(told.line())
        noticed = any(
            verdict == Verdict.VIOLATES and (told.scenario, id_) not in self._task.known
            for id_, verdict in told.verdicts.items()
        )
        if self._task.change is not None and noticed and self._session is not None:
            self._session.shouldstop = "noticed"
