"""The harness wakes up: options are checked, then scenarios are checked, chosen and ordered."""

from __future__ import annotations

import gc
import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import pytest

from jms_brokers.brokers.profiles import PLAIN
from jms_brokers.errors import BrokenDistribution, BrokerError, HintedError
from jms_brokers.machine.secrecy import hide_secrets
from jms_brokers.shared.registry import obstacle
from jms_clients.errors import ProviderError
from jms_clients.readiness import make_ready
from jms_clients.registry import load_provider
from jvm_runtime import in_process
from jvm_runtime.jvm_errors import FetchError
from touchstone.brokers.broker_set import BrokerSet
from touchstone.brokers.sharing import BrokerServer
from touchstone.catalogue import Catalogue, Library, load_library
from touchstone.catalogue.capabilities import check_excuses
from touchstone.catalogue.deviation_files import load_deviations
from touchstone.catalogue.deviations import check_scenarios
from touchstone.catalogue.items import duplicates, problems_of_module, scenario_of
from touchstone.errors import HarnessError, UsageError
from touchstone.judging.client_java import choose_java
from touchstone.judging.controller_brokers import BrokersOfController, tell_on, tell_workers
from touchstone.judging.crashes import crash_log
from touchstone.judging.durations import estimated, known_durations
from touchstone.judging.facts import circumstances
from touchstone.judging.hooks import SCENARIO, Judge
from touchstone.judging.options import RunOptions
from touchstone.judging.plan import RunPlan
from touchstone.judging.resuming import earlier_of, judged, pairs_of, refuse_what_changed
from touchstone.judging.run import ALLURE_LISTENER, ProviderRun
from touchstone.judging.selection import (
    applicable,
    cheapest_first,
    check_documents,
    drawn,
    narrowing,
    ordered,
    runs_silently,
    sampled,
    selected,
)
from touchstone.scenario import strategies
from touchstone.verdicts import ExitStatus
from touchstone_reports.records import ResultsError

_LIBRARY = pytest.StashKey[Library]()
_PLAN = pytest.StashKey[RunPlan]()


def library_of(config: pytest.Config) -> Library:
    """The catalogues, loaded once."""
    if _LIBRARY not in config.stash:
        config.stash[_LIBRARY] = load_library(partial(_warn, config))
    return config.stash[_LIBRARY]


def _warn(config: pytest.Config, text: str) -> None:
    config.issue_config_time_warning(BrokenDistribution(text), stacklevel=2)


def refuse_what_is_wrong(config: pytest.Config) -> None:
    """End a run whose options are wrong, or for which no broker can start, before it collects."""
    try:
        plan = _asked_for(config)
        choose_java(plan.provider, plan.options.java, offline=plan.options.broker.offline)
        if (before := earlier_of(config)) is not None:
            refuse_what_changed(before.facts, circumstances(plan))
        broker = plan.options.broker
        why = broker.way == "embedded" and not broker.version and obstacle(broker.family)
        if why:
            raise BrokerError(
                f"No broker of the family {broker.family} can be started here: {why}",
                hint="See `touchstone doctor`, or name a broker that runs with --broker.",
            )
    except (HintedError, ResultsError) as error:
        fault(error)
    except FetchError as error:
        told = f"touchstone: {error.message}\n  hint: {error.hint}"
        pytest.exit(told, returncode=ExitStatus.COULD_NOT_JUDGE)


def problems_of(
    config: pytest.Config, module: pytest.Module, items: Sequence[pytest.Item]
) -> list[str]:
    """What makes a collected module of scenarios unfit."""
    try:
        return problems_of_module(module.path, items, library_of(config))
    except HintedError as error:
        return [str(error)]


def arrange(config: pytest.Config, items: list[pytest.Item], scenarios: list[pytest.Item]) -> None:
    """Put the chosen scenarios in order before all other items, and make the harness judge them.

    In the only process of a run a fault ends it here; a worker hands it to its controller.
    """
    worker_input = getattr(config, "workerinput", None)
    others = [item for item in items if item not in set(scenarios)]
    try:
        plan, chosen = _plan(config, scenarios)
    except HintedError as error:
        if worker_input is None:
            fault(error)
        items[:] = others
        _hand_over(worker_input, {"error": str(error)})
        return
    dropped = [item for item in scenarios if item not in set(chosen)]
    if dropped:
        config.hook.pytest_deselected(items=dropped)
    items[:] = chosen + others
    if config.option.collectonly:
        return
    if config.pluginmanager.has_plugin(ALLURE_LISTENER):
        from touchstone.judging.allure_bridge import AllureBridge

        AllureBridge(config, plan).begin()
    if worker_input is None:
        elsewhere = config.option.touchstone_brokers_of
        settings = plan.options.broker
        brokers = BrokersOfController(elsewhere, settings) if elsewhere else BrokerSet(settings)
        run = ProviderRun(config, plan, brokers, earlier=earlier_of(config))
        config.pluginmanager.register(Judge(plan, "master", brokers, run.begin), "touchstone judge")
        config.pluginmanager.register(run, "touchstone run")
    else:
        in_process.keep_crash_log(
            crash_log(Path(worker_input["touchstone"]["folder"]), worker_input["workerid"])
        )
        brokers = BrokersOfController(worker_input["touchstone"]["folder"], plan.options.broker)

        def collected() -> None:
            gc.freeze()  # it stays, so that each look whether it can go is in vain
            _hand_over(worker_input, plan.as_dict())

        judge = Judge(plan, worker_input["workerid"], brokers, collected)
        config.pluginmanager.register(judge, "touchstone judge")


def begin_controller(config: pytest.Config, collected: Path) -> None:
    """Begin the run of the controller from what its first worker collected."""
    if config.pluginmanager.has_plugin("touchstone run"):
        return
    data = json.loads(collected.read_text(encoding="utf-8"))
    try:
        if "error" in data:
            raise HarnessError(data["error"])
        plan = _asked_for(config)
        plan.update(data)
    except HintedError as error:
        fault(error)
    brokers: BrokerSet | BrokersOfController
    options = plan.options
    if elsewhere := config.option.touchstone_brokers_of:
        brokers = BrokersOfController(elsewhere, options.broker)
        server = None
        tell_on(Path(elsewhere), collected.parent)
    else:
        brokers = BrokerSet(options.broker)
        server = BrokerServer(brokers)
        tell_workers(collected.parent, server)
    run = ProviderRun(
        config, plan, brokers, server, shared=collected.parent, earlier=earlier_of(config)
    )
    config.pluginmanager.register(run, "touchstone run")
    run.begin()


def durations(config: pytest.Config) -> Mapping[str, float]:
    """Seconds that the scenarios which workers have collected are known to take, by node id.

    Those that share a special broker keep their place in the order, however long they take.
    """
    plan = _asked_for(config)
    known = known_durations(plan.library, plan.options.results, plan.options.provider)
    return {
        node: known.get(scenario.id, 0.0)
        if scenario.exclusive or scenario.profile == PLAIN
        else 0.0
        for node, scenario in plan.scenarios.items()
    }


def private_brokers(config: pytest.Config) -> Mapping[str, str]:
    """The profiles of the private brokers that collected scenarios ask for, by node id."""
    scenarios = _asked_for(config).scenarios
    return {node: scenario.profile for node, scenario in scenarios.items() if scenario.exclusive}


def fault(error: HintedError | ResultsError) -> NoReturn:
    """End the run: what was asked for cannot be done."""
    pytest.exit(f"touchstone: {hide_secrets(str(error))}", returncode=ExitStatus.FAULT)


def _asked_for(config: pytest.Config) -> RunPlan:
    """The plan as the options have it, each of them checked; it has no scenarios yet."""
    if _PLAN not in config.stash:
        provider = load_provider(config.option.touchstone_provider)
        options = RunOptions.of(config.option, provider.broker_family)
        library = library_of(config)
        options.selection.check(library)
        check_documents(provider, library)
        tell = partial(_warn, config)
        deviations = load_deviations(library, options.deviations, tell)
        config.stash[_PLAN] = RunPlan(options, library, provider, deviations)
    return config.stash[_PLAN]


def _plan(config: pytest.Config, items: list[pytest.Item]) -> tuple[RunPlan, list[pytest.Item]]:
    plan = _asked_for(config)
    options, library = plan.options, plan.library
    strategies.draw_by(options.seed)
    check_excuses(library.requirements)
    if not config.option.collectonly:
        try:
            make_ready(plan.provider, offline=options.broker.offline)
        except ProviderError as error:
            plan.obstacle = error
    collected = [(scenario_of(item, library), item) for item in items]
    if double := duplicates([scenario for scenario, _ in collected]):
        raise HarnessError("\n".join(double), hint="An id is <area>/<function>[<case>].")
    plan.catalogue = {scenario.id: list(scenario.requirements) for scenario, _ in collected}
    whole = _collected_whole(config, library)
    documents = {document.prefix for catalogue in whole for document in catalogue.documents}
    check_scenarios((d for d in plan.deviations if d.document in documents), plan.catalogue)
    incomplete = [catalogue.name for catalogue in library.catalogues if catalogue not in whole]
    plan.narrowed_by = narrowing(config.option, incomplete)
    running = []
    options.selection.check_scenarios(plan.catalogue)
    asked = selected((scenario for scenario, _ in collected), options.selection)
    if options.sample is not None:
        asked = sampled(asked, options.sample, options.seed)
    for scenario in asked:
        kept, excused = applicable(scenario, plan.provider, library)
        if kept:
            plan.kept[scenario.id] = kept
            running.append(scenario)
        elif plan.spelling.mutant is None and runs_silently(scenario, plan.provider):
            plan.comparison_only[scenario.id] = {each.requirement: each.reason for each in excused}
            running.append(scenario)
            continue
        plan.excused += excused
    if options.draw is not None:
        running = drawn((s for s in running if s.id in plan.kept), options.draw, options.seed)
        chosen_ids = {scenario.id for scenario in running}
        plan.kept = {id_: ids for id_, ids in plan.kept.items() if id_ in chosen_ids}
        plan.comparison_only, plan.excused = {}, []
    plan.judged = judged({**plan.kept, **plan.comparison_only}, pairs_of(config))
    item_of = {scenario.id: item for scenario, item in collected}
    chosen = []
    in_order = (
        ordered(running, options.seed)
        if plan.spelling.mutant is None
        else cheapest_first(running, options.seed, estimated(library))
    )
    for scenario in (each for each in in_order if each.id not in plan.judged):
        item = item_of[scenario.id]
        item.stash[SCENARIO] = scenario
        chosen.append(item)
    if not plan.kept and not plan.comparison_only and not plan.excused:
        raise UsageError("No scenario was asked for", hint="See `touchstone list`.")
    return plan, chosen


def _collected_whole(config: pytest.Config, library: Library) -> list[Catalogue]:
    """The catalogues that were collected as a package, so that no scenario is missing."""
    named = [Path(arg.partition("::")[0]).resolve() for arg in config.args if "::" not in arg]
    folders = {
        catalogue.name: Path(str(catalogue.files)).resolve() for catalogue in library.catalogues
    }
    return [
        catalogue
        for catalogue in library.catalogues
        if catalogue.package in config.args
        or any(folders[catalogue.name].is_relative_to(p) for p in named)
    ]


def _hand_over(worker_input: dict[str, Any], data: dict[str, Any]) -> None:
    """Leave `data` for the controller."""
    file = Path(worker_input["touchstone"]["folder"], f"{worker_input['workerid']}.json")
    file.write_text(json.dumps(data), encoding="utf-8")
