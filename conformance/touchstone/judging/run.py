"""The process that owns a run: it writes results, tells people, and sets the exit status."""

from __future__ import annotations

import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from jms_brokers.errors import HintedError
from jms_brokers.machine.secrecy import hide_secrets
from touchstone.brokers.broker_set import BrokerSet
from touchstone.brokers.sharing import BrokerServer
from touchstone.catalogue import deviations
from touchstone.catalogue.items import Scenario
from touchstone.judging import status_line
from touchstone.judging.controller_brokers import BrokersOfController
from touchstone.judging.crashes import LOST, crash_of, ending_of
from touchstone.judging.durations import known_durations
from touchstone.judging.facts import circumstances, worst_by_requirement
from touchstone.judging.hooks import RESULT, VERDICT
from touchstone.judging.plan import RunPlan
from touchstone.judging.progress import RunProgress
from touchstone.judging.repeats import UNDECIDED
from touchstone.judging.resuming import Earlier, lines_kept, refuse_what_changed
from touchstone.outcomes.comparison_only import withhold_verdict
from touchstone.outcomes.known_deviations import subject_of
from touchstone.results.reporting import write_reports
from touchstone.results.run_folder import NOTE, RunFolder, new_run
from touchstone.verdicts import ExitStatus, Outcome, Strength, Verdict, exit_status
from touchstone_reports.records import ResultsError
from touchstone_reports.results import read
from touchstone_reports.summary import print_summary

ALLURE_LISTENER = "allure_listener"
"""allure-pytest's own name of its plug-in that is there with `--alluredir`."""
_AGAIN = "judged again"
_SHOWN = {
    _AGAIN: (_AGAIN, "a", ("JUDGED AGAIN", {"yellow": True})),
    Verdict.CONFORMS.value: ("passed", ".", "CONFORMS"),
    Verdict.DEVIATES.value: ("deviates", "d", ("DEVIATES", {"yellow": True})),
    Verdict.VIOLATES.value: ("failed", "V", ("VIOLATES", {"red": True})),
    f"{Verdict.VIOLATES}(should)": ("should", "s", ("VIOLATES(should)", {"yellow": True})),
    Verdict.NOT_APPLICABLE.value: ("not applicable", "n", ("NOT-APPLICABLE", {"yellow": True})),
    Verdict.INCONCLUSIVE.value: ("inconclusive", "?", ("INCONCLUSIVE", {"red": True})),
}
"""Category, letter and word on the terminal of each verdict, and of what has none yet."""


class ProviderRun:
    """One run of one provider."""

    def __init__(
        self,
        config: pytest.Config,
        plan: RunPlan,
        brokers: BrokerSet | BrokersOfController,
        server: BrokerServer | None = None,
        *,
        shared: Path | None = None,
        earlier: Earlier | None = None,
    ) -> None:
        """`earlier` is what there is of the run, where it goes on."""
        self._config = config
        self._plan = plan
        self._brokers = brokers
        self._server = server
        self._shared = shared
        self._started = _now()
        self._began = time.perf_counter()
        self._lines: list[dict[str, Any]] = []
        self._shown: set[str] = set()
        """Scenarios that a worker has run to their end."""
        self._used: dict[str, dict[str, Any]] = {}
        self._foreign_failures = False
        self._stale: list[deviations.Deviation] = []
        self._not_shown: list[deviations.Deviation] = []
        """Those that did not happen, either, and were seen with other releases alone."""
        self._status: ExitStatus | None = None
        self._folder: RunFolder | None = None
        self._page: Path | None = None
        self._earlier = earlier
        self._resumed: list[str] = []
        self._judged_again: dict[str, dict[str, str]] = {}
        """Scenarios that were given to a second process, since their first one ended: how."""
        self._before = 0.0
        """Seconds of the run before it went on."""
        self._progress: RunProgress | None = None
        self._show_no_more: Callable[[], None] = lambda: None

    def begin(self) -> None:
        """Open the results folder; excused requirements are its first lines.

        Without any of the scenarios that were asked for, since -k or the like took all of them
        away, there is nothing to write.
        """
        plan, options = self._plan, self._plan.options
        if not plan.scenarios and not plan.judged and (plan.kept or plan.comparison_only):
            return
        with _fault_ends_the_run():
            if self._earlier is None:
                self._folder = RunFolder(new_run(self._started, options.provider, options.results))
            else:
                self._folder = self._go_on(self._earlier)
            self._tell_of_folder(self._folder.path)
            self._folder.write_run(self._facts())
        there = {(line["scenario"], line["requirement"]) for line in self._lines}
        for excused in self._plan.excused:
            if (excused.scenario.id, excused.requirement) not in there:
                self._record([self._plan.excused_line(excused)])
        self._show_progress()

    def _go_on(self, earlier: Earlier) -> RunFolder:
        """Take over what counts of a run that did not finish; `UsageError` if it was of others."""
        plan, facts = self._plan, earlier.facts
        refuse_what_changed(facts, {**circumstances(plan), "selection": plan.selection()})
        excused = {(each.scenario.id, each.requirement) for each in plan.excused}
        self._lines += lines_kept(earlier.lines, plan.judged, excused)
        self._used = {
            broker["profile"]: broker for broker in facts["brokers"] if "profile" in broker
        }
        self._before = facts["timings"]["total"]
        self._resumed = [*facts.get("resumed", []), self._started]
        self._judged_again = {again["scenario"]: again for again in facts.get("judged_again", [])}
        self._started = facts["started"]
        return RunFolder(earlier.folder, kept=self._lines)

    def _tell_of_folder(self, folder: Path) -> None:
        if note := os.environ.get(NOTE):
            Path(note).write_text(str(folder), encoding="utf-8")

    def _show_progress(self) -> None:
        plan = self._plan
        known = cache(
            lambda: known_durations(plan.library, plan.options.results, plan.options.provider)
        )
        workers = getattr(self._config.option, "numprocesses", None) or 1
        self._progress = RunProgress(plan.selection()["scenarios"], self._lines, known, workers)
        progress = self._progress
        self._show_no_more = status_line.begin(
            self._config, lambda: str(progress.at(time.monotonic()))
        )

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """A worker has begun with a scenario."""
        if self._progress is not None and nodeid in self._plan.scenarios:
            self._progress.begins(self._plan.scenarios[nodeid].id, time.monotonic())

    def pytest_report_teststatus(self, report: pytest.CollectReport | pytest.TestReport) -> Any:
        """How a scenario's verdict is shown while the run goes on."""
        if not isinstance(report, pytest.TestReport):
            return None
        shown = next((value for key, value in report.user_properties if key == VERDICT), None)
        return _SHOWN[str(shown)] if shown is not None else None

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, crashitem: str, report: pytest.TestReport, sched: Any) -> None:
        """Give a scenario whose worker has died to another one, once, and write down that it did.

        That its process ended says nothing of a statement; that it does so every time has to be
        known.
        """
        scenario = self._plan.scenarios.get(crashitem)
        if scenario is None or scenario.id in self._judged_again or self._folder is None:
            return
        how, evidence = self._ending(report)
        with _fault_ends_the_run():
            kept = self._folder.keep_ending(scenario.id, evidence)
            self._judged_again[scenario.id] = {
                "scenario": scenario.id,
                "reason": how,
                "evidence": kept,
            }
            self._folder.write_run(self._facts())
        report.outcome = "skipped"
        report.user_properties.append((VERDICT, _AGAIN))
        sched.mark_test_pending(crashitem)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Write what a scenario showed; a worker that died has shown nothing."""
        properties = dict(report.user_properties)
        if RESULT in properties:
            result = json.loads(str(properties[RESULT]))
            if "broker" in result:
                self._meet(result["broker"])
            if UNDECIDED in properties:
                for line in result["lines"]:
                    line["undecided"] = line["verdict"] == Verdict.CONFORMS
            self._shown |= {line["scenario"] for line in result["lines"]}
            self._record(result["lines"], result.get("trace", ()), result.get("evidence", ""))
        elif report.when not in ("setup", "call", "teardown"):
            if (VERDICT, _AGAIN) not in report.user_properties:
                self._crashed(report)
        elif report.failed and report.nodeid not in self._plan.scenarios:
            self._foreign_failures = True

    def _meet(self, broker: dict[str, Any]) -> None:
        """Write down a broker that a scenario had: whoever goes on with the run has to know it."""
        if broker["profile"] in self._used or self._folder is None:
            return
        with _fault_ends_the_run():
            if self._earlier is not None:
                refuse_what_changed(self._earlier.facts, {**self._facts(), "brokers": [broker]})
            self._used[broker["profile"]] = broker
            self._folder.write_run(self._facts())

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Complete the results and set the exit status."""
        self._show_no_more()
        if self._folder is None:
            if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
                self._status = session.exitstatus = ExitStatus.FAULT
            return
        stopped = exitstatus in (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR)
        complete = not (stopped or session.shouldfail or session.shouldstop)
        if complete:
            self._complete()
        self._stale, self._not_shown = self._gone_deviations()
        self._status = self._exit_status(exitstatus)
        session.exitstatus = self._status
        with _fault_ends_the_run():
            facts = self._facts(finished=_now() if complete else None)
            self._folder.finish(facts, complete=complete)
            folder = self._folder.path
            if self._config.pluginmanager.has_plugin(ALLURE_LISTENER):
                from touchstone.judging.allure_bridge import report_others

                report_others(self._config, self._plan, folder, self._shown)
            if not self._config.option.touchstone_no_reports:
                self._page = write_reports([folder], self._plan.library, folder)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """What people want to know at the end."""
        write = terminalreporter.write_line
        if self._folder is None:
            if self._status is not None:
                write("touchstone: no scenario is left of those that were asked for")
                write("  hint: What -k, -m and --deselect say takes all of them away.")
            return
        inconclusive = terminalreporter.getreports("inconclusive")
        if inconclusive:
            terminalreporter.write_sep("=", "could not judge")
            for report in inconclusive:
                write(report.longreprtext)
                write("")
        for report in terminalreporter.getreports("should"):
            write(report.longreprtext)
        if self._plan.options.allow_inconclusive:
            write(f"INCONCLUSIVE is allowed: {self._plan.options.allow_inconclusive}")
        terminal = terminalreporter._tw
        console = Console(file=terminal._file, force_terminal=terminal.hasmarkup)
        with _fault_ends_the_run():
            print_summary(read(self._folder.path), console, self._page)

    def pytest_report_header(self) -> str:
        """The seed, so that the order can be had again."""
        return f"touchstone: seed {self._plan.options.seed}"

    def pytest_unconfigure(self) -> None:
        """End the brokers."""
        if self._server is not None:
            self._server.close()
        self._brokers.close()

    def _record(
        self, lines: list[dict[str, Any]], trace: Iterable[str] = (), evidence: str = ""
    ) -> None:
        if self._folder is None:
            return
        self._lines += lines
        with _fault_ends_the_run(lines):
            self._folder.add(lines, list(trace), evidence)

    def _crashed(self, report: pytest.TestReport) -> None:
        scenario = self._plan.scenarios.get(report.nodeid)
        if scenario is None:
            return
        how, evidence = self._ending(report)
        twice = ", twice" * (scenario.id in self._judged_again)
        lines = self._inconclusive(scenario, f"{LOST}{twice}: {how}")
        report.user_properties.append((VERDICT, lines[0]["verdict"]))
        self._record(lines, evidence=evidence)

    def _ending(self, report: pytest.TestReport) -> tuple[str, str]:
        """How the worker of a scenario ended, in a line, and all that is known of it."""
        worker: Any = report.node  # xdist says it
        crash = crash_of(self._shared, worker.gateway.id) if self._shared else None
        how = crash.what if crash else ending_of(worker)
        log = f"\n--- the crash log of its JVM\n{crash.log}" if crash else ""
        return how, f"{report.longreprtext}\n{how}{log}"

    def _inconclusive(self, scenario: Scenario, reason: str) -> list[dict[str, Any]]:
        outcome = Outcome(Verdict.INCONCLUSIVE, reason)
        plan = self._plan
        outcomes = dict.fromkeys(plan.kept.get(scenario.id, ()), outcome)
        for id_, why in plan.comparison_only.get(scenario.id, {}).items():
            outcomes[id_] = withhold_verdict(why, outcome)
        return [plan.unrun_line(scenario, id_, each) for id_, each in outcomes.items()]

    def _complete(self) -> None:
        """A scenario without a verdict was never run: its workers had died."""
        judged = {line["scenario"] for line in self._lines}
        for scenario in self._plan.scenarios.values():
            if scenario.id not in judged:
                self._record(self._inconclusive(scenario, "never run: its worker had died"))

    def _speaks(self, requirement: str) -> bool:
        """Whether the document of a requirement applies to the provider: another's is not judged,
        even where a portable scenario runs."""
        plan = self._plan
        return plan.library.applies(requirement.partition("-")[0], plan.provider.documents)

    def _gone_deviations(self) -> tuple[list[deviations.Deviation], list[deviations.Deviation]]:
        """The known deviations that did not happen: the stale ones, those of other releases."""
        provider = self._plan.provider
        if self._plan.spelling.mutant is not None or self._plan.options.is_hunt:
            return [], []
        happened: dict[tuple[str, str], bool | None] = {
            (scenario, id_): None for scenario, ids in self._plan.catalogue.items() for id_ in ids
        }
        for line in self._lines:
            verdict = Verdict(line["verdict"])
            open_ = verdict is Verdict.INCONCLUSIVE or line.get("undecided", False)
            happened[line["scenario"], line["requirement"]] = (
                None if open_ else verdict is Verdict.DEVIATES
            )
        versions = [broker["version"] for broker in self._used.values()] or [""]
        plan = self._plan
        given = plan.settings.texts
        subject = subject_of(provider, versions[0], plan.spelling.base, given, plan.java)
        known = [
            entry
            for entry in self._plan.deviations
            if entry.concerns(subject) and self._speaks(entry.requirement)
        ]
        gone = deviations.stale_entries(known, happened)
        seen = getattr(provider, "judged_releases", (provider.version,))
        stale = [entry for entry in gone if entry.was_seen_with(provider.version, seen)]
        return stale, [entry for entry in gone if entry not in stale]

    def _exit_status(self, exitstatus: int) -> ExitStatus:
        if exitstatus == pytest.ExitCode.INTERNAL_ERROR:
            return ExitStatus.FAULT
        options = self._plan.options
        status = exit_status(
            ((Verdict(line["verdict"]), Strength(line["strength"])) for line in self._lines),
            stale_deviations=len(self._stale),
            strict_should=options.strict_should,
            allow_inconclusive=options.allow_inconclusive is not None,
        )
        if self._foreign_failures:
            return ExitStatus.UNEXPECTED
        if exitstatus == pytest.ExitCode.INTERRUPTED and status is ExitStatus.NOTHING_UNEXPECTED:
            return ExitStatus.COULD_NOT_JUDGE
        return status

    def _facts(self, finished: str | None = None) -> dict[str, Any]:
        known = circumstances(self._plan)
        used = [self._used[profile] for profile in sorted(self._used)]
        return {
            **known,
            "id": self._folder.path.name if self._folder is not None else "",
            "started": self._started,
            "finished": finished,
            "resumed": self._resumed,
            "judged_again": list(self._judged_again.values()),
            "command": hide_secrets([sys.argv[0], *self._config.invocation_params.args]),
            "brokers": used or known["brokers"],
            "counts": dict(Counter(line["verdict"] for line in self._lines)),
            "requirements": worst_by_requirement(self._lines),
            "exit_status": self._status,
            "stale": [str(entry) for entry in self._stale],
            "not_shown": [str(entry) for entry in self._not_shown],
            "selection": self._plan.selection(),
            "timings": {"total": round(self._before + time.perf_counter() - self._began, 3)},
            "catalogue": {**known["catalogue"], "scenarios": len(self._plan.catalogue)},
        }


@contextmanager
def _fault_ends_the_run(lines: Sequence[Mapping[str, Any]] = ()) -> Iterator[None]:
    """What cannot be written, or read again, ends the run as a fault, in words.

    The verdicts in `lines`, which the block writes, are told then.
    """
    try:
        yield
    except (HintedError, ResultsError) as error:
        told = hide_secrets(str(error))
    except OSError as error:
        told = f"the results cannot be completed: {error.strerror} {error.filename or ''}"
    else:
        return
    unwritten = [
        f"\n  judged, but not written: {line['verdict']} {line['requirement']} {line['scenario']}"
        for line in lines
    ]
    pytest.exit(f"touchstone: {told}{''.join(unwritten)}", returncode=ExitStatus.FAULT)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
