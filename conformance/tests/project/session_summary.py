"""A plug-in for pytest: what a session of the project's tests says at its end.

How many brokers it started, and what was not tested since the machine lacks something, with what
brings it. Where `CI` is set nothing may be lacking: the session fails.
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jms_brokers.brokers.starts import describe_starts, note_starts_in, read_starts

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter


class _Session:
    """The process of a session that hears of all tests."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        folder = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="touchstone-tests-"))
        self._starts = Path(folder, "starts.jsonl")
        self._stack.enter_context(note_starts_in(self._starts))
        self._untested = Counter[str]()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take down why a test was skipped."""
        if report.skipped and isinstance(report.longrepr, tuple):
            self._untested[report.longrepr[2].removeprefix("Skipped: ")] += 1

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Iterator[None]:
        """In CI what was not tested is a failure."""
        yield
        if self._untested and os.environ.get("CI") and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        """Say it."""
        if self._untested:
            terminalreporter.write_sep("=", "not tested on this machine")
            for why, tests in sorted(self._untested.items()):
                terminalreporter.write_line(f"{tests:5} {'test' if tests == 1 else 'tests'}: {why}")
            if os.environ.get("CI"):
                terminalreporter.write_line("CI is set: there nothing may be lacking")
        if starts := describe_starts(read_starts(self._starts)):
            terminalreporter.write_line(starts)

    def pytest_unconfigure(self) -> None:
        """Forget the folder."""
        self._stack.close()


def pytest_configure(config: pytest.Config) -> None:
    """Register what watches, in the controller alone."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Session(), "summary of the session")
