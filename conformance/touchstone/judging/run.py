"""The process that owns a run: it writes results, tells people, and sets the exit status."""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from touchstone.catalogue import deviations
from touchstone.catalogue.items import Scenario
from touchstone.errors import TouchstoneError
from touchstone.families.asked_for import broker_asked_for, java_used
from touchstone.families.broker_set import BrokerSet
from touchstone.families.sharing import BrokerServer
from touchstone.judging.controller_brokers import BrokersOfController
from touchstone.judging.crashes import crash_of, ending_of
from touchstone.judging.hooks import RESULT, VERDICT
from touchstone.judging.plan import Plan
from touchstone.judging.records import subject_of, unjudged, unrun_line
from touchstone.judging.repeats import UNDECIDED
from touchstone.machine.secrecy import hidden
from touchstone.results.reporting import write_reports
from touchstone.results.run_folder import RunFolder, new_run
from touchstone.verdicts import ExitStatus, Outcome, Strength, Verdict, exit_status, worst
from touchstone_reports.records import ResultsError
from touchstone_reports.results import read
from touchstone_reports.summary import print_summary

ALLURE_LISTENER = "allure_listener"
"""allure-pytest's own name of its plug-in that is there with `--alluredir`."""
_SHOWN = {
    Verdict.CONFORMS.value: ("passed", ".", "CONFORMS"),
    Verdict.DEVIATES.value: ("deviates", "d", ("DEVIATES", {"yellow": True})),
    Verdict.VIOLATES.value: ("failed", "V", ("VIOLATES", {"red": True})),
    f"{Verdict.VIOLATES}(should)": ("should", "s", ("VIOLATES(should)", {"yellow": True})),
    Verdict.NOT_APPLICABLE.value: ("not applicable", "n", ("NOT-APPLICABLE", {"yellow": True})),
    Verdict.INCONCLUSIVE.value: ("inconclusive", "?", ("INCONCLUSIVE", {"red": True})),
}
"""Category, letter and word of each verdict on the terminal."""


class Run:
    """One run of one provider."""

    def __init__(
        self,
        config: pytest.Config,
        plan: Plan,
        brokers: BrokerSet | BrokersOfController,
        server: BrokerServer | None = None,
        *,
        shared: Path | None = None,
    ) -> None:
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
        self._undecided: set[str] = set()
        """Scenarios that were not repeated often enough to call an entry stale."""
        self._status: ExitStatus | None = None
        self._folder: RunFolder | None = None
        self._page: Path | None = None

    def begin(self) -> None:
        """Open the results folder; excused requirements are its first lines.

        Without any of the scenarios that were asked for, since -k or the like took all of them
        away, there is nothing to write.
        """
        plan, options = self._plan, self._plan.options
        if not plan.scenarios and (plan.kept or plan.silent):
            return
        with _fault_ends_the_run():
            self._folder = RunFolder(new_run(self._started, options.provider, options.results))
            self._folder.write_run(self._facts())
        for excused in self._plan.excused:
            outcome = Outcome(Verdict.NOT_APPLICABLE, excused.reason)
            self._record([self._line(excused.scenario, excused.requirement, outcome)])

    def pytest_report_teststatus(self, report: pytest.CollectReport | pytest.TestReport) -> Any:
        """How a scenario's verdict is shown while the run goes on."""
        if not isinstance(report, pytest.TestReport):
            return None
        shown = next((value for key, value in report.user_properties if key == VERDICT), None)
        return _SHOWN[str(shown)] if shown is not None else None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Write what a scenario showed; a worker that died has shown nothing."""
        properties = dict(report.user_properties)
        if UNDECIDED in properties:
            self._undecided.add(self._plan.scenarios[report.nodeid].id)
        if RESULT in properties:
            result = json.loads(str(properties[RESULT]))
            if "broker" in result:
                self._used[result["broker"]["profile"]] = result["broker"]
            self._shown |= {line["scenario"] for line in result["lines"]}
            self._record(result["lines"], result.get("trace", ()), result.get("evidence", ""))
        elif report.when not in ("setup", "call", "teardown"):
            self._crashed(report)
        elif report.failed and report.nodeid not in self._plan.scenarios:
            self._foreign_failures = True

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Complete the results and set the exit status."""
        if self._folder is None:
            if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
                self._status = session.exitstatus = ExitStatus.FAULT
            return
        stopped = exitstatus in (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR)
        complete = not (stopped or session.shouldfail or session.shouldstop)
        if complete:
            self._complete()
        self._stale = self._stale_deviations()
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

    def _line(self, scenario: Scenario, requirement: str, outcome: Outcome) -> dict[str, Any]:
        return unrun_line(scenario, requirement, outcome, self._plan.options, self._plan.library)

    def _crashed(self, report: pytest.TestReport) -> None:
        scenario = self._plan.scenarios.get(report.nodeid)
        if scenario is None:
            return
        worker: Any = report.node  # xdist says it
        crash = crash_of(self._shared, worker.gateway.id) if self._shared else None
        how = crash.what if crash else ending_of(worker)
        lines = self._inconclusive(scenario, f"its process ended: {how}")
        report.user_properties.append((VERDICT, lines[0]["verdict"]))
        log = f"\n--- the crash log of its JVM\n{crash.log}" if crash else ""
        self._record(lines, evidence=report.longreprtext + log)

    def _inconclusive(self, scenario: Scenario, reason: str) -> list[dict[str, Any]]:
        outcome = Outcome(Verdict.INCONCLUSIVE, reason)
        silent = self._plan.silent.get(scenario.id, {})
        return [
            *(self._line(scenario, id_, outcome) for id_ in self._plan.kept.get(scenario.id, ())),
            *(self._line(scenario, id_, unjudged(why, outcome)) for id_, why in silent.items()),
        ]

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

    def _stale_deviations(self) -> list[deviations.Deviation]:
        if self._plan.spelling.mutant is not None:
            return []
        happened: dict[tuple[str, str], bool | None] = {
            (scenario, id_): None for scenario, ids in self._plan.catalogue.items() for id_ in ids
        }
        for line in self._lines:
            verdict = Verdict(line["verdict"])
            open_ = verdict is Verdict.INCONCLUSIVE or (
                verdict is Verdict.CONFORMS and line["scenario"] in self._undecided
            )
            happened[line["scenario"], line["requirement"]] = (
                None if open_ else verdict is Verdict.DEVIATES
            )
        versions = [broker["version"] for broker in self._used.values()] or [""]
        subject = subject_of(self._plan.provider, versions[0], self._plan.spelling.base)
        known = [
            entry
            for entry in self._plan.deviations
            if entry.concerns(subject) and self._speaks(entry.requirement)
        ]
        return deviations.stale(known, happened)

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
        plan = self._plan
        provider = plan.provider
        requirements: dict[str, dict[str, dict[str, str]]] = {}
        for line in self._lines:
            row = requirements.setdefault(line["document"], {}).setdefault(line["requirement"], {})
            name, verdict = line["provider"], Verdict(line["verdict"])
            row[name] = worst((verdict, Verdict(row.get(name, verdict.value)))).value
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
        return {
            "format": 1,
            "id": self._folder.path.name if self._folder is not None else "",
            "started": self._started,
            "finished": finished,
            "seed": plan.options.seed,
            "command": hidden(sys.argv),
            "touchstone": version("jms-touchstone"),
            "python": platform.python_version(),
            "machine": {
                "platform": platform.platform(),
                "cpus": os.cpu_count(),
                "memory_mib": memory,
            },
            "providers": [
                {
                    "name": plan.options.provider,
                    "version": provider.version,
                    "transport": provider.transport,
                    "documents": sorted(provider.documents),
                    "capabilities": sorted(provider.capabilities),
                }
            ],
            "brokers": [self._used[profile] for profile in sorted(self._used)]
            or [broker_asked_for(plan.options.broker)],
            "java": java_used(plan.options.broker, [provider.transport]),
            "counts": dict(Counter(line["verdict"] for line in self._lines)),
            "requirements": requirements,
            "not_applicable_documents": sorted(
                prefix
                for prefix in plan.library.documents
                if not plan.library.applies(prefix, provider.documents)
            ),
            "exit_status": self._status,
            "strict_should": plan.options.strict_should,
            "allow_inconclusive": plan.options.allow_inconclusive,
            "stale": [str(entry) for entry in self._stale],
            "selection": plan.selection(),
            "timings": {"total": round(time.perf_counter() - self._began, 3)},
            "catalogue": {"scenarios": len(plan.catalogue)},
        }


@contextmanager
def _fault_ends_the_run(lines: Sequence[Mapping[str, Any]] = ()) -> Iterator[None]:
    """What cannot be written, or read again, ends the run as a fault, in words.

    The verdicts in `lines`, which the block writes, are told then.
    """
    try:
        yield
    except (TouchstoneError, ResultsError) as error:
        told = hidden(str(error))
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
