"""What allure-pytest (`--alluredir`) gets of scenarios: what our own results for Allure say.

allure-pytest makes a result of each test, and hands it to its plug-ins before it is written
(`report_result`). There the result of a scenario becomes what `allure_mapping` makes of its
verdicts; steps, attachments and labels that the test made by itself stay. What was no test to its
end, since its worker died or its requirement is excused, the owner of the run adds when it ends.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Generator
from functools import partial
from pathlib import Path
from typing import Any

import allure_commons
import pytest
from allure_commons.model2 import ExecutableItem, TestResult, TestResultContainer
from allure_commons.types import LinkType
from allure_pytest.utils import format_allure_link

from touchstone.brokers.asked_for import broker_asked_for, java_used
from touchstone.judging.facts import this_machine
from touchstone.judging.hooks import RESULT, SCENARIO
from touchstone.judging.plan import RunPlan
from touchstone.judging.texts import fit_to_leave
from touchstone.results.run_folder import evidence_file, trace_file
from touchstone_reports.allure import attachment_of, results_of, statements_of
from touchstone_reports.allure_mapping import result_of
from touchstone_reports.combination import Combination
from touchstone_reports.legible import legible
from touchstone_reports.results import RunBroker, judgement, read, sorted_worst_first

_TAKEN_OVER = (
    *("name", "fullName", "testCaseId", "historyId", "titlePath", "description"),
    *("status", "statusDetails", "parameters"),
)
"""Parts of a result that are ours alone."""


class AllureBridge:
    """The results that allure-pytest makes in this process, which runs scenarios."""

    def __init__(self, config: pytest.Config, plan: RunPlan) -> None:
        self._config = config
        self._plan = plan
        self._statements = _statements(plan)
        self._broker: dict[str, Any] = broker_asked_for(plan.options.broker)
        self._judged: dict[str, Any] | None = None
        """What the scenario showed whose result allure-pytest has not written yet."""

    def begin(self) -> None:
        """Listen to pytest and to Allure until pytest ends."""
        self._config.pluginmanager.register(self, "touchstone allure bridge")
        allure_commons.plugin_manager.register(self)
        self._config.add_cleanup(lambda: allure_commons.plugin_manager.unregister(self))

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Take the secrets out of what a scenario printed before allure-pytest attaches it."""
        report = yield
        if SCENARIO in item.stash:
            report.sections = fit_to_leave(report.sections)
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep what a scenario showed until its result is written."""
        properties = dict(report.user_properties)
        if RESULT in properties:
            self._judged = json.loads(str(properties[RESULT]))

    @allure_commons.hookimpl(tryfirst=True)
    def report_container(self, container: TestResultContainer) -> None:
        """Take the secrets out of what is told of fixtures."""
        for fixture in (*container.befores, *container.afters):
            _make_fit_to_leave(fixture)

    @allure_commons.hookimpl(tryfirst=True)
    def report_result(self, result: TestResult) -> None:
        """Make the result of a scenario what its verdicts say."""
        judged, self._judged = self._judged, None
        if judged is None:
            return
        self._broker = judged.get("broker", self._broker)
        lines = [*judged["lines"], *self._excused(judged["lines"][0]["scenario"])]
        verdicts = sorted_worst_first(map(judgement, lines))
        told = result_of(
            *(verdicts, self._combination(), self._statements, _address(self._config)),
            machine=this_machine(),
        )
        for name in _TAKEN_OVER:
            setattr(result, name, getattr(told, name))
        result.descriptionHtml = None
        for step in result.steps:
            _make_fit_to_leave(step)
        ours = {label.name for label in told.labels}
        result.labels = told.labels + [label for label in result.labels if label.name not in ours]
        result.links = told.links + result.links
        result.steps += told.steps
        scenario = verdicts[0].scenario
        _attach(result, evidence_file(scenario), judged.get("evidence", ""))
        _attach(result, trace_file(scenario), "".join(f"{x}\n" for x in judged.get("trace", ())))

    def _combination(self) -> Combination:
        broker = RunBroker(self._broker["family"], self._broker["way"], self._broker["version"])
        options = self._plan.options
        java = self._plan.java or java_used(options.broker, [])
        return Combination(options.provider, broker.title, java)

    def _excused(self, scenario: str) -> list[dict[str, Any]]:
        return [
            self._plan.excused_line(excused)
            for excused in self._plan.excused
            if excused.scenario.id == scenario
        ]


def report_others(
    config: pytest.Config, plan: RunPlan, folder: Path, told: Collection[str]
) -> None:
    """Hand Allure those results of the run in `folder` that are of no scenario in `told`."""
    known = set(map(legible, told))
    hook = allure_commons.plugin_manager.hook
    for result, files in results_of(read(folder), _statements(plan), _address(config)):
        if result.fullName not in known:
            for attachment, source in files:
                hook.report_attached_file(source=source, file_name=attachment.source)
            hook.report_result(result=result)


def _statements(plan: RunPlan) -> dict[str, str]:
    return statements_of(
        requirement.as_dict() for requirement in plan.library.requirements.values()
    )


def _address(config: pytest.Config) -> Callable[[str], str]:
    """Where a requirement is to be read: what `--allure-link-pattern tms:…` makes of its id."""
    return partial(format_allure_link, config, link_type=LinkType.TEST_CASE)


def _make_fit_to_leave(executed: ExecutableItem) -> None:
    if details := executed.statusDetails:
        details.message, details.trace = fit_to_leave((details.message, details.trace))
    for parameter in executed.parameters:
        parameter.value = fit_to_leave(parameter.value)
    for step in executed.steps:
        _make_fit_to_leave(step)


def _attach(result: TestResult, path: str, text: str) -> None:
    if not text:
        return
    attachment = attachment_of(f"{result.uuid}-{len(result.attachments)}", path)
    result.attachments.append(attachment)
    body = fit_to_leave(text)
    allure_commons.plugin_manager.hook.report_attached_data(body=body, file_name=attachment.source)
