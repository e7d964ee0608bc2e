"""The folder of one run: run.json, verdicts.jsonl, traces and evidence, written by one process.

Verdicts go line by line to `verdicts.jsonl.part`, which is renamed at the end, so that whatever
ended the run, what was judged can be read.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import chain, count
from pathlib import Path
from typing import IO, Any, TextIO

from jms_brokers.machine.secrecy import hide_secrets
from touchstone.errors import HarnessError, UsageError

RUN = "run.json"
VERDICTS = "verdicts.jsonl"
PART = "verdicts.jsonl.part"
EXCHANGES = "exchanges.jsonl"
"""In place of verdicts, in a run of pairs of clients."""
NOTE = "TOUCHSTONE_NOTE_OF_RUN"
"""The variable that names a file, in which a run writes the path of its folder."""
TRACES = "traces"
EVIDENCE = "evidence"
_NAMES = frozenset(
    {
        *("scenario", "requirement", "provider", "verdict", "strength", "worker", "started"),
        *("broker_profile", "area", "document", "trace", "evidence", "spent"),
        *("exchange", "producer", "consumer"),
    }
)
"""Parts of a line whose words are the catalogue's and the harness's own."""


class RunFolder:
    """One run's results while it is written; `HarnessError` when the disk does not take them."""

    def __init__(
        self,
        path: Path,
        lines: str = VERDICTS,
        *,
        kept: Iterable[Mapping[str, Any]] | None = None,
    ) -> None:
        """The folder that `new_run` made; `lines` is the name of the file that grows.

        With `kept` it is that of a run that goes on, of whose lines these stay.
        """
        self.path = path
        self._lines = path / lines
        self._part = self._lines.with_name(f"{lines}.part")
        self._begun = kept is not None
        try:
            self._verdicts = self._opened(kept)
        except OSError as error:
            if not self._begun:
                shutil.rmtree(path, ignore_errors=True)
            raise _fault(path, error) from error

    def _opened(self, kept: Iterable[Mapping[str, Any]] | None) -> TextIO:
        if kept is None:
            verdicts = self._part.open("x", encoding="utf-8")
            _take_lock(verdicts)
            return verdicts
        anew = self.path / f"{self._part.name}.anew"
        verdicts = anew.open("w", encoding="utf-8")
        _take_lock(verdicts)
        verdicts.writelines(f"{json.dumps(line, allow_nan=False)}\n" for line in kept)
        verdicts.flush()
        os.fsync(verdicts.fileno())
        anew.replace(self._part)
        self._lines.unlink(missing_ok=True)
        return verdicts

    def write_run(self, facts: Mapping[str, Any]) -> None:
        """Write run.json, whole or not at all; without the first one there is no folder either."""
        part = self.path / f"{RUN}.part"
        text = json.dumps(facts, indent=1, ensure_ascii=True, allow_nan=False)
        try:
            part.write_text(text + "\n", encoding="utf-8")
            part.replace(self.path / RUN)
        except OSError as error:
            if not self._begun:
                shutil.rmtree(self.path, ignore_errors=True)
            raise _fault(self.path, error) from error
        self._begun = True

    def add(
        self,
        lines: Sequence[dict[str, Any]],
        trace: Sequence[str] = (),
        evidence: str = "",
    ) -> None:
        """Write the verdict lines of one scenario, with the trace and evidence they refer to."""
        try:
            for line in lines:
                if trace:
                    name = trace_file(line["scenario"])
                    line["trace"] = self._write(name, "\n".join(trace) + "\n")
                if evidence:
                    name = evidence_file(line["scenario"])
                    line["evidence"] = self._write(name, evidence)
                self._verdicts.write(json.dumps(without_secrets(line), allow_nan=False) + "\n")
            self._verdicts.flush()
        except OSError as error:
            raise _fault(self.path, error) from error

    def keep_ending(self, scenario: str, text: str) -> str:
        """Write how a process ended that judged the scenario; the file's name from the folder."""
        try:
            return self._write(ending_file(scenario), text)
        except OSError as error:
            raise _fault(self.path, error) from error

    def finish(self, facts: Mapping[str, Any], *, complete: bool) -> None:
        """No more verdicts come; the file keeps its name of an unfinished run unless `complete`."""
        try:
            self._verdicts.flush()
            os.fsync(self._verdicts.fileno())
            self._verdicts.close()
            if complete:
                self._part.replace(self._lines)
        except OSError as error:
            raise _fault(self.path, error) from error
        self.write_run(facts)

    def _write(self, name: str, text: str) -> str:
        file = self.path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(hide_secrets(text), encoding="utf-8", errors="backslashreplace")
        return name


def read_finished(run: Path) -> tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]:
    """What a run says of itself, and the lines of its verdicts; UsageError where it is none."""
    try:
        facts = json.loads((run / RUN).read_text(encoding="utf-8"))
        lines = (run / VERDICTS).read_text(encoding="utf-8").splitlines()
        return facts, [json.loads(line) for line in lines]
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{run} is no finished run: {error}", hint="Name a folder such as results/<run>."
        ) from error


def is_written(path: Path) -> bool:
    """Whether some process still writes the run in this folder."""
    try:
        with (path / PART).open("rb") as verdicts:
            return not _take_lock(verdicts)
    except FileNotFoundError:
        return False


def _take_lock(verdicts: IO[Any]) -> bool:
    """Have others know that this process writes the file, while it is open; False if one does."""
    try:
        fcntl.flock(verdicts, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # a file system without locks
    return True


def without_secrets(line: Mapping[str, Any]) -> dict[str, Any]:
    """A verdict line, or that of an exchange, fit to be written."""
    others = {name: value for name, value in line.items() if name not in _NAMES}
    return {**line, **hide_secrets(others)}


def new_run(moment: str, provider: str, results: Path) -> Path:
    """A new folder in `results` for one run alone; `moment`, in ISO 8601, is part of its name.

    Other runs may begin at the same moment. `HarnessError` when the disk does not take it.
    """
    stem = re.sub(r"[^\w]+", "", moment.partition(".")[0].partition("+")[0])
    stem = f"{stem}-{name_in_folder(provider)}"
    try:
        results.mkdir(parents=True, exist_ok=True)
        for name in chain((stem,), (f"{stem}-{number}" for number in count(2))):
            with suppress(FileExistsError):
                (results / name).mkdir()
                break
    except OSError as error:
        raise _fault(results, error) from error
    return results / name


def name_in_folder(provider: str) -> str:
    """How the folders of a provider's runs end."""
    return re.sub(r"[^A-Za-z0-9.-]+", "-", provider)


def trace_file(scenario: str) -> str:
    """Where a run has the trace of a scenario, from its folder."""
    return f"{TRACES}/{file_stem(scenario)}.jsonl"


def evidence_file(scenario: str) -> str:
    """Where a run has the evidence of a scenario, from its folder."""
    return f"{EVIDENCE}/{file_stem(scenario)}.txt"


def ending_file(scenario: str) -> str:
    """Where a run has how the process ended that was the first to judge a scenario."""
    return f"{EVIDENCE}/{file_stem(scenario)}.ended.txt"


def file_stem(scenario: str) -> str:
    """A file name for a scenario; long ones and odd characters give way to a checksum."""
    plain = re.sub(r"[^A-Za-z0-9_.-]+", "-", scenario).strip("-")
    if plain == scenario.replace("/", "-") and len(plain) <= 120:
        return plain
    checksum = hashlib.sha256(scenario.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{plain[:100]}-{checksum}"


def _fault(path: Path, error: OSError) -> HarnessError:
    return HarnessError(
        f"Results cannot be written to {path}: {error.strerror}",
        hint="Free some space, or name another folder with --results-dir.",
    )
