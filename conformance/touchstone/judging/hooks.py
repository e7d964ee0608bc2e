"""The process that runs scenarios: it gives them what they need, watches them, and judges."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Coroutine, Generator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import cache
from typing import Any

import pytest

from jms_brokers.errors import HintedError
from jms_brokers.machine.secrecy import hide_secrets
from jms_brokers.machine.spending import account_spending
from jms_clients.trace import Trace
from touchstone.catalogue.deviations import Deviation, Subject
from touchstone.catalogue.items import Scenario
from touchstone.errors import HarnessError
from touchstone.judging.explain import explanation
from touchstone.judging.plan import RunPlan
from touchstone.judging.repeats import ATTEMPT, repeat
from touchstone.judging.state import ScenarioState
from touchstone.judging.texts import encodable, make_fit_to_leave
from touchstone.outcomes.by_requirement import overall, worse
from touchstone.outcomes.comparison_only import observe_statement, withhold_verdict
from touchstone.outcomes.endings import Hung
from touchstone.outcomes.failures import Phase, failure_message
from touchstone.outcomes.from_failure import outcome_of
from touchstone.outcomes.known_deviations import (
    apply_deviations,
    find_deviation,
    find_intermittent,
    intermittent_ids,
    subject_of,
)
from touchstone.outcomes.lines import Circumstances, verdict_line
from touchstone.results.run_folder import without_secrets
from touchstone.scenario.comparison import explaining
from touchstone.scenario.deadline import within
from touchstone.scenario.fixtures import AT_WORK
from touchstone.scenario.judgement import Judgement, at_work, running
from touchstone.scenario.log import logged
from touchstone.scenario.running import RunningScenario
from touchstone.scenario.worker import Brokers, Worker
from touchstone.verdicts import Outcome, Strength, Verdict, is_unexpected

_LOG = logging.getLogger(__name__)
_CLOSING = "closing what the scenario opened"
SCENARIO = pytest.StashKey[Scenario]()
STATE = pytest.StashKey[ScenarioState]()
VERDICT = "touchstone verdict"
"""User property of a report: the verdict that the scenario is shown with."""
RESULT = "touchstone result"
"""User property of the last report of a scenario: verdict lines, trace and evidence, as JSON.

What workers send is of few kinds: whole numbers beyond 32 bits are none of them.
"""


class Judge:
    """Hooks around every scenario of this process."""

    def __init__(
        self, plan: RunPlan, worker: str, brokers: Brokers, collected: Callable[[], None]
    ) -> None:
        self._plan = plan
        self._name = worker
        self._collected = collected
        self._worker = Worker(worker, plan.provider, plan.options.provider, brokers, plan.settings)
        self._known_of = cache(self._concerning)
        self._of_chance = cache(lambda: find_intermittent(plan.deviations, self._subject()))

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Node ids are final now."""
        items = [item for item in session.items if SCENARIO in item.stash]
        self._plan.scenarios = {item.nodeid: item.stash[SCENARIO] for item in items}
        self._collected()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> Any:
        """Repeat a scenario whose known deviation happens only sometimes."""
        scenario = item.stash.get(SCENARIO, None)
        if scenario is None:
            return None
        judged_on = self._plan.kept.get(scenario.id, ())
        ids = intermittent_ids(self._of_chance(), scenario.id, judged_on)
        if not ids or self._plan.options.is_hunt:
            return None
        assert isinstance(item, pytest.Function)
        repeat(item, nextitem, ids, _verdicts)
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Open the judgement and what the scenario will ask for."""
        scenario = item.stash.get(SCENARIO, None)
        if scenario is None:
            return
        trace = Trace()
        stack = ExitStack()
        log = stack.enter_context(logged())
        open_ = RunningScenario(
            self._worker,
            scenario.profile,
            scenario.exclusive,
            trace,
            log,
            sought=self._plan.sought,
            attempt=item.stash.get(ATTEMPT, 0),
            hunt=self._plan.options.hunt,
            replay=self._plan.options.replay,
            shows=self._plan.options.shows,
            shown_of=self._plan.options.selection.requirements,
            is_known=lambda id_, message: self._is_known(item.stash[STATE], id_, message),
        )
        packages = tuple(catalogue.package for catalogue in self._plan.library.catalogues)
        judgement = Judgement(
            scenario.id,
            scenario.requirements,
            packages,
            control=open_.control,
            lost=open_.lost,
            cut_off=open_.cut_off,
            withheld=open_.withheld,
            not_the_clients=trace.not_the_clients,
            block_failed=trace.calls.block_failed,
        )
        item.stash[AT_WORK] = open_
        spent = stack.enter_context(account_spending())
        stack.enter_context(running(judgement))
        item.stash[STATE] = ScenarioState(
            scenario,
            judgement,
            trace,
            open_,
            stack,
            datetime.now(UTC).isoformat(timespec="milliseconds"),
            time.perf_counter(),
            spent,
        )
        if self._plan.obstacle is not None:
            raise self._plan.obstacle

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool | None:
        """Run the scenario under the watchdog, on a thread of its own."""
        if STATE not in pyfuncitem.stash:
            return None
        names = pyfuncitem._fixtureinfo.argnames
        given = {name: pyfuncitem.funcargs[name] for name in names}
        scenario = pyfuncitem.stash[SCENARIO]
        timeout = self._plan.options.timeout * (2 if scenario.slow else 1)
        timeout += self._plan.options.hunt
        judgement = pyfuncitem.stash[STATE].judgement
        judgement.checks.clear()  # what fixtures waited for answers nothing
        with explaining(judgement.compares):
            result = within(
                timeout,
                lambda: pyfuncitem.obj(**given),
                scenario.id,
                judged=judgement.catalogues,
            )
        if result is not None:
            if isinstance(result, Coroutine):
                result.close()
            raise HarnessError(
                f"{scenario.id} gave back a {type(result).__name__}, which nobody looks at",
                hint="A scenario is a plain function that asserts: no async, yield or return.",
            )
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> Generator[None, None, None]:
        """Close what the scenario opened, also when a fixture's end failed."""
        state = item.stash.get(STATE, None)
        if state is None:
            return (yield)
        follows = nextitem.stash.get(SCENARIO, None) if nextitem is not None else None
        self._worker.next_private = follows.profile if follows and follows.exclusive else None
        try:
            yield
        finally:
            with state.stack:
                within(self._plan.options.timeout, state.running.close, _CLOSING)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Turn pytest's outcome into a verdict."""
        report = yield
        state = item.stash.get(STATE, None)
        if state is not None:
            if report.when == "call":
                state.trace.calls.ended()
            if call.excinfo is not None:
                self._failed(state, call.excinfo.value, report)
            if report.when == "call" or call.excinfo is not None:
                self._show(item, state, report)
            if report.when == "teardown":
                self._finish(item, state, report)
            make_fit_to_leave(report)
        return report

    def pytest_assertion_pass(self) -> None:
        """One check held; what pytest compared for it is no failure."""
        if (judgement := at_work()) is not None:
            judgement.compared = None
            judgement.held()

    def pytest_sessionfinish(self) -> None:
        """Close the client; one that fails or does not come back costs no verdict."""
        try:
            within(self._plan.options.timeout, self._worker.close, "closing the client")
        except Exception as error:
            _LOG.warning("the client could not be closed: %s", failure_message(error))
            if isinstance(error, Hung):
                _LOG.warning("%s", error.threads)

    def _failed(
        self, state: ScenarioState, error: BaseException, report: pytest.TestReport
    ) -> None:
        judgement = state.judgement
        outcome = outcome_of(
            error, Phase(report.when), judgement.catalogues, judgement.against_the_client
        )
        if report.when == "teardown":
            state.found = {id_: worse(seen, outcome) for id_, seen in state.seen().items()}
        else:
            state.ended = outcome
        state.message_suffices = report.when != "call" and isinstance(error, HintedError)
        state.evidence.append(f"--- {report.when}\n{report.longreprtext}")
        if isinstance(error, Hung):
            state.evidence.append(f"--- threads when it hung\n{error.threads}")

    def _judged(self, state: ScenarioState) -> dict[str, tuple[Outcome, Any]]:
        ended = state.seen()
        silent = self._plan.comparison_only.get(state.scenario.id)
        if silent is not None:
            return {
                id_: (withhold_verdict(reason, ended[id_]), None) for id_, reason in silent.items()
            }
        known = self._known(state)
        return {
            id_: apply_deviations(state.scenario.id, id_, ended[id_], known, state.judgement.steps)
            for id_ in self._plan.kept[state.scenario.id]
        }

    def _known(self, state: ScenarioState) -> Sequence[Deviation]:
        connected = state.running.__dict__.get("connected")
        return self._known_of(connected.address.version if connected is not None else "")

    def _is_known(self, state: ScenarioState, id_: str, message: str) -> bool:
        outcome = Outcome(Verdict.VIOLATES, message)
        return apply_deviations(state.scenario.id, id_, outcome, self._known(state))[1] is not None

    def _concerning(self, broker_version: str) -> Sequence[Deviation]:
        subject = self._subject(broker_version)
        return [entry for entry in self._plan.deviations if entry.concerns(subject)]

    def _subject(self, broker_version: str = "") -> Subject:
        plan = self._plan
        return subject_of(
            plan.provider, broker_version, plan.spelling.base, plan.settings.texts, plan.java
        )

    def _show(self, item: pytest.Item, state: ScenarioState, report: pytest.TestReport) -> None:
        """Give the report the outcome that pytest counts, and the text that people read."""
        judged = self._judged(state)
        verdict = overall(outcome for outcome, _ in judged.values())
        report.user_properties.append((VERDICT, self._shown(verdict, judged)))
        if verdict is Verdict.NOT_APPLICABLE:
            report.outcome = "skipped"
            path, line, _ = item.location
            reason = judged[next(iter(judged))][0].message or ""
            report.longrepr = (path, line or 0, reason)
        elif verdict in (Verdict.CONFORMS, Verdict.DEVIATES):
            report.outcome = "passed"
            report.longrepr = None
        else:
            report.outcome = "failed" if self._fails(judged) else "passed"
            report.longrepr = explanation(state, judged, self._plan, report)

    def _fails(self, judged: dict[str, tuple[Outcome, Any]]) -> bool:
        return any(
            outcome.verdict is Verdict.INCONCLUSIVE
            or is_unexpected(
                outcome.verdict,
                self._plan.library.requirements[id_].strength,
                strict_should=self._plan.options.strict_should,
            )
            for id_, (outcome, _) in judged.items()
        )

    def _shown(self, verdict: Verdict, judged: dict[str, tuple[Outcome, Any]]) -> str:
        if verdict is Verdict.VIOLATES and not self._fails(judged):
            return f"{verdict}({Strength.SHOULD})"
        return verdict.value

    def _finish(self, item: pytest.Item, state: ScenarioState, report: pytest.TestReport) -> None:
        judged = self._judged(state)
        took = time.perf_counter() - state.began
        plan = self._plan
        seen = state.seen()
        known = self._known(state)
        judgement, scenario, options = state.judgement, state.scenario, plan.options
        lines = [
            verdict_line(
                scenario,
                id_,
                outcome,
                Circumstances(
                    options.provider,
                    options.seed,
                    options.rerun(scenario.id, judgement.drawn_by.get(id_)),
                    started=state.started,
                    worker=self._name,
                    duration=took,
                    observables={
                        **judgement.observables,
                        **observe_statement(scenario, id_, seen[id_]),
                    },
                    spent=state.spent,
                    presets=state.running.presets,
                    decided=judgement.checks[id_] if scenario.is_drawn else None,
                ),
                plan.library,
                deviation=entry,
                known=find_deviation(scenario.id, id_, known),
            )
            for id_, (outcome, entry) in judged.items()
        ]
        result: dict[str, Any] = {"lines": [without_secrets(line) for line in lines]}
        conforms = overall(outcome for outcome, _ in judged.values()) is Verdict.CONFORMS
        if not conforms or plan.options.all_traces:
            result["trace"] = [*state.trace.lines(), *state.trace.calls.lines()]
        if not conforms:
            result["evidence"] = hide_secrets("\n".join(state.evidence))
        connected = state.running.__dict__.get("connected")
        if connected is not None:
            address = connected.address
            result["broker"] = {
                "family": address.family,
                "way": address.way,
                "version": address.version,
                "profile": address.profile,
            }
        report.user_properties.append((RESULT, json.dumps(encodable(result))))
        del item.stash[STATE]
        del item.stash[AT_WORK]  # pytest keeps its items: what the client had open would stay


def _verdicts(reports: list[pytest.TestReport]) -> dict[str, Verdict]:
    """The verdict on each requirement that the reports of one run of a scenario tell."""
    result = dict(reports[-1].user_properties).get(RESULT)
    if result is None:
        return {}
    lines = json.loads(str(result))["lines"]
    return {line["requirement"]: Verdict(line["verdict"]) for line in lines}
