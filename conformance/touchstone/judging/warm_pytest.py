"""A process that has collected already, and forks for each run: small runs are its use."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from jvm_runtime.child import ending_with_us
from touchstone.errors import HarnessError


class WarmPytest:
    """One such process; it makes one run at a time, and ends with the block.

    It ends as well when the thread ends that made it.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        """`command`: that of a run that collects what the runs to come may ask for.

        What the process itself prints, but not its runs, goes to `log`.
        """
        python, script, *arguments = command
        self._log = log
        with log.open("ab") as output:
            self._process = subprocess.Popen(  # noqa: S603 - the command is ours
                ending_with_us([python, script, "--warm", *arguments]),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=output,
                env=environment,
                text=True,
            )

    def run(self, arguments: Sequence[str], printed: Path) -> int:
        """Make a run by pytest's arguments; its status, or -9 and the like for one that was killed.

        What it prints goes to the file `printed`. `HarnessError` when the process has ended.
        """
        told, heard = self._process.stdin, self._process.stdout
        assert told is not None
        assert heard is not None
        with suppress(BrokenPipeError):
            told.write(json.dumps([str(printed), *arguments]) + "\n")
            told.flush()
        if not (status := heard.readline()):
            raise HarnessError(
                "The process that collects for all runs has ended",
                hint=self._log.read_text(errors="replace")[-2_000:],
            )
        return int(status)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        with self._process:
            pass
