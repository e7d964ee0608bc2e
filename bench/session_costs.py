"""A plug-in for pytest: what each file of tests costs, by kinds of processes.

Each process that runs tests adds a line a file to `TOUCHSTONE_TEST_COSTS`, as JSON: its seconds,
those of CPU of the process itself and of each kind below it, and how many tests it has. Give it to
pytest with `-p bench.session_costs`.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from bench.processes import Processes

VARIABLE = "TOUCHSTONE_TEST_COSTS"
OWN = "the tests themselves"
_LOOKS_EVERY = 0.3


class _Costs:
    """The costs of the file whose tests are running."""

    def __init__(self, to: Path) -> None:
        self._to = to
        self._below = Processes()
        self._lock = threading.Lock()
        self._file = ""
        self._tests = 0
        self._began = 0.0
        self._before: Mapping[str, float] = {}
        threading.Thread(target=self._look, daemon=True).start()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Another file may begin with this test."""
        file = item.nodeid.partition("::")[0]
        if file != self._file:
            self._finish()
            self._file, self._tests = file, 0
            self._began, self._before = time.perf_counter(), self._spent()
        self._tests += 1

    def pytest_sessionfinish(self) -> None:
        """The last file ends, with what the session had for all."""
        self._finish()

    def _finish(self) -> None:
        if not self._file:
            return
        spent = {kind: cpu - self._before.get(kind, 0) for kind, cpu in self._spent().items()}
        line = {
            "file": self._file,
            "tests": self._tests,
            "wall": round(time.perf_counter() - self._began, 2),
            "cpu": {kind: round(cpu, 2) for kind, cpu in spent.items() if cpu >= 0.01},
        }
        with self._to.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line) + "\n")

    def _spent(self) -> dict[str, float]:
        with self._lock:
            self._below.look()
            return {OWN: time.process_time(), **self._below.cpu}

    def _look(self) -> None:
        while True:
            time.sleep(_LOOKS_EVERY)
            with self._lock:
                self._below.look()


def pytest_configure(config: pytest.Config) -> None:
    """Watch in processes that run tests, and not in one that has workers for it."""
    to = os.environ.get(VARIABLE)
    if to and not getattr(config.option, "numprocesses", None):
        config.pluginmanager.register(_Costs(Path(to)), "costs of tests")
