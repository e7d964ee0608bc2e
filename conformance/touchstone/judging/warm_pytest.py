"""A process that has collected already, and forks for each run: small runs are its use."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from jvm_runtime.child import ending_with_us
from touchstone.errors import HarnessError


class WarmPytest:
    """Such a process; several threads may ask it for runs, which go on side by side."""

    def __init__(self, process: subprocess.Popen[str], log: Path) -> None:
        """`log`: what the process itself prints, but not its runs."""
        self._process = process
        self._log = log
        self._numbers = count()
        self._asked: dict[int, Future[int]] = {}
        self._ended = False
        self._lock = threading.Lock()
        self._hearing = threading.Thread(target=self._hear, daemon=True)
        self._hearing.start()

    def run(self, arguments: Sequence[str], printed: Path) -> int:
        """Make a run by pytest's arguments; its status, or -9 and the like for one that was killed.

        What it prints goes to the file `printed`. `HarnessError` when the process has ended.
        """
        answer: Future[int] = Future()
        with self._lock:
            number = next(self._numbers)
            self._asked[number] = answer
            if self._ended:
                self._fail()
            assert self._process.stdin is not None
            with suppress(BrokenPipeError):
                self._process.stdin.write(json.dumps([number, str(printed), *arguments]) + "\n")
                self._process.stdin.flush()
        return answer.result()

    def end(self) -> None:
        """End the process; whoever waits for a run is told."""
        self._process.kill()
        self._hearing.join()

    def _hear(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            number, status = map(int, line.split())
            with self._lock:
                answer = self._asked.pop(number)
            answer.set_result(status)
        with self._lock:
            self._ended = True
            self._fail()

    def _fail(self) -> None:
        """Tell those who wait that there will be no answer."""
        while self._asked:
            _, answer = self._asked.popitem()
            why = HarnessError(
                "The process that collects for all runs has ended",
                hint=self._log.read_text(errors="replace")[-2_000:],
            )
            answer.set_exception(why)


@contextmanager
def warm_pytest(
    command: Sequence[str], environment: Mapping[str, str], log: Path
) -> Iterator[WarmPytest]:
    """A process that collects by `command` what the runs to come may ask for.

    It ends with the block, and when the thread ends that made it. What it prints goes to `log`.
    """
    python, script, *arguments = command
    with (
        log.open("ab") as output,
        subprocess.Popen(  # noqa: S603 - the command is ours
            ending_with_us([python, script, "--warm", *arguments]),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=output,
            env=environment,
            text=True,
        ) as process,
    ):
        warm = WarmPytest(process, log)
        try:
            yield warm
        finally:
            warm.end()
