"""The pytest plug-in: options, markers, fixtures, and hooks that wake the harness for its work.

Nothing of the harness is imported before a registered catalogue is named, or a scenario of it
collected.
"""

from __future__ import annotations

import importlib.util
import math
import os
import secrets
import warnings
from collections.abc import Generator
from contextlib import suppress
from copy import deepcopy
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from touchstone.run_options import BETWEEN_PROCESSES, RUN_OPTIONS

if TYPE_CHECKING:
    from jvm_runtime.own_folders import OwnFolder

_COUNTING = "enable_assertion_pass_hook"
_FAULT = 3
_DEATHS = 8
"""Of the processes of each worker, until the run gives up; xdist has four, but each scenario is
given to a second process here."""
_NOBODY_LISTENS = r"(?s).*Hook: pytest_sessionfinish\n\w+: cannot send"
"""What pluggy warns of where xdist, in a worker whose controller was killed, tells it the end."""
_FOLDERS = pytest.StashKey[list[Path]]()
_SHARED: pytest.StashKey[OwnFolder] = pytest.StashKey()

MARKERS = (
    "requirement(*ids): the requirements that a scenario judges",
    "broker(profile, exclusive=False): the broker that a scenario needs",
    "needs(*capabilities): without them a scenario is NOT-APPLICABLE",
    "slow: the scenario waits long, so it starts first and has twice the time",
    "portable(*families): also run for what clients do whose document is silent",
    "permissive: the statement allows more than one behaviour; its outer bound is judged",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of a run."""
    group = parser.getgroup("touchstone", "Touchstone: judging JMS clients")
    for option in (*RUN_OPTIONS, *BETWEEN_PROCESSES):
        group.addoption(option.name, dest=option.dest, help=option.help, **deepcopy(option.how))


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers; choose the seed, in a worker that of its controller.

    Where catalogues are named wrong options are refused now, not after the collection.
    """
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)
    if config.option.touchstone_seed is None:
        told = getattr(config, "workerinput", {}).get("touchstone", {})
        config.option.touchstone_seed = told.get("seed", secrets.randbelow(2**31))
    pytest.register_assert_rewrite(*_catalogue_packages())
    config.pluginmanager.register(CollectionFaults(config), "touchstone collection faults")
    if not _names_a_catalogue(config):
        return
    workers = getattr(config.option, "numprocesses", None)
    if workers and config.option.maxworkerrestart is None:
        config.option.maxworkerrestart = str(_DEATHS * workers)
    if hasattr(config, "workerinput"):
        warnings.filterwarnings("ignore", _NOBODY_LISTENS, UserWarning)
    elif not config.option.collectonly:  # a listing has use for no client
        from touchstone.judging.wake import refuse_what_is_wrong

        refuse_what_is_wrong(config)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Give scenarios their fixtures; count passed assertions; refuse what breaks the rules."""
    config = collector.config
    if not isinstance(collector, pytest.Module) or not _is_scenario(config, collector.path):
        return (yield)
    from touchstone.fixtures import MODULES
    from touchstone.judging.wake import problems_of  # before counting: our own do not count

    for module in MODULES:
        config.pluginmanager.import_plugin(module)  # once
    settings: dict[str, Any] = config._inicache
    before = config.getini(_COUNTING)
    settings[_COUNTING] = True
    try:
        report = yield
    finally:
        settings[_COUNTING] = before
    if report.passed:
        items = [item for item in report.result if isinstance(item, pytest.Item)]
        if problems := problems_of(config, collector, items):
            report.outcome = "failed"
            report.longrepr = "\n".join(problems)
            report.result = []
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Choose and order the scenarios; without any, sleep on."""
    scenarios = [item for item in items if _is_scenario(config, item.path)]
    if scenarios:
        from touchstone.judging.wake import arrange

        arrange(config, items, scenarios)


@pytest.hookimpl(optionalhook=True, wrapper=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> Generator[None, int, int]:
    """With `-n auto` there are three workers for a processor: scenarios mostly wait.

    Two, where each has a JVM that compiles what the client does.
    """
    processors = yield
    if not _names_a_catalogue(config):
        return processors
    return workers_that_wait(processors, 2 if _is_in_java(config.option.touchstone_provider) else 3)


def _is_in_java(provider: str) -> bool:
    from jms_brokers.errors import HintedError
    from jms_clients.registry import load_provider

    try:
        return bool(getattr(load_provider(provider), "program", ""))
    except HintedError:
        return False  # it is refused before the first worker starts


def workers_that_wait(processors: int, each: float) -> int:
    """So many workers for each processor, if there is a GiB of memory for each of them.

    A number that was told counts as it is.
    """
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return processors
    from jms_histories.engines.free_memory import free_memory_mib

    wanted, free = math.ceil(each * processors), free_memory_mib()
    return wanted if free is None else max(1, min(wanted, free // 1024))


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Scenarios that take long begin first, unless another distribution was asked for."""
    if config.option.dist != "load" or not _names_a_catalogue(config):
        return None
    from touchstone.judging.distribution import LongestFirst
    from touchstone.judging.wake import durations, private_brokers

    return LongestFirst(config, log, lambda: durations(config), lambda: private_brokers(config))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Give the workers a folder in which they and the controller leave word for each other."""
    from jvm_runtime.own_folders import OwnFolder

    stash = node.config.stash
    if _SHARED not in stash:
        stash[_SHARED] = OwnFolder("workers")
    seed = node.config.option.touchstone_seed
    told = {"folder": str(stash[_SHARED].path), "seed": seed}
    if node.config.option.touchstone_resume:
        from touchstone.judging.resuming import pairs_of

        told["judged"] = pairs_of(node.config)
    node.workerinput["touchstone"] = told


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(node: Any) -> None:
    """The controller learns what the workers will run, and serves them brokers."""
    collected = node.config.stash[_SHARED].path / f"{node.gateway.id}.json"
    if collected.exists():
        from touchstone.judging.wake import begin_controller

        begin_controller(node.config, collected)


class CollectionFaults:
    """A catalogue that cannot be collected, or is empty, is a fault, however pytest counts it."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._seen = False
        self._nothing = False

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Remember a failed collection of scenarios, also one that a worker reports."""
        path = self._config.rootpath / report.nodeid.partition("::")[0]
        if report.failed and _is_scenario(self._config, path.resolve()):
            self._seen = True

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Exit as for a fault."""
        self._nothing = (
            exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED
            and not self._config.option.collectonly  # a collector keeps what it found to itself
            and not self._config.pluginmanager.has_plugin("touchstone run")
            and _names_a_catalogue(self._config)
        )
        if self._seen or self._nothing:
            session.exitstatus = _FAULT

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Say that there was nothing to judge by."""
        if self._nothing:
            terminalreporter.write_line("touchstone: no scenario was collected")
            terminalreporter.write_line("  hint: Is the catalogue that was named installed whole?")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the folder that workers handed over in."""
    if _SHARED in config.stash:
        config.stash[_SHARED].remove()


def _catalogue_folders() -> list[Path]:
    """Where the packages of the registered catalogues lie; it imports what they are inside of."""
    specs = []
    for name in _catalogue_packages():
        with suppress(Exception):  # what is broken is told by whoever needs it
            specs.append(importlib.util.find_spec(name))
    places = [spec.submodule_search_locations or () for spec in specs if spec is not None]
    return [Path(folder).resolve() for folders in places for folder in folders]


def _catalogue_packages() -> list[str]:
    return sorted({point.module for point in entry_points(group="touchstone.catalogues")})


def _names_a_catalogue(config: pytest.Config) -> bool:
    packages = _catalogue_packages() if config.option.pyargs else []
    named = [argument.partition("::")[0] for argument in config.args]
    return any(
        name.partition(".")[0] in packages or _is_scenario(config, Path(name).resolve())
        for name in named
    )


def _is_scenario(config: pytest.Config, path: Path) -> bool:
    if _FOLDERS not in config.stash:
        config.stash[_FOLDERS] = _catalogue_folders()
    return any(path.is_relative_to(folder) for folder in config.stash[_FOLDERS])
