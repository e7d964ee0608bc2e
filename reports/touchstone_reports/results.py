"""Results of a run: read from their directory, validated, as frozen values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from touchstone_reports.combination import Combination
from touchstone_reports.deviations import MatchedDeviation, deviation
from touchstone_reports.exchanges import Exchange, exchange
from touchstone_reports.records import ResultsError, complaint, parse_json, records
from touchstone_reports.verdicts import JUDGED, Verdict, rank, worst

RUN_FILE = "run.json"
VERDICTS_FILE = "verdicts.jsonl"
EXCHANGES_FILE = "exchanges.jsonl"
"""What a run of pairs of clients has in place of verdicts."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class VerdictLine:
    """What one scenario showed about one requirement for one provider: a line of verdicts.jsonl."""

    scenario: str
    requirement: str
    provider: str
    verdict: Verdict
    area: str
    document: str
    strength: str
    reason: str | None
    duration: float
    """Seconds."""
    seed: int
    rerun: str
    """The command line that repeats just this."""
    started: datetime
    permissive: bool = False
    expected: str | None = None
    seen: str | None = None
    deviation: MatchedDeviation | None = None
    by_chance: bool = False
    """Whether a deviation is known of it that happens only sometimes."""
    observables: Mapping[str, object] = field(default_factory=dict)
    spent: Mapping[str, float] = field(default_factory=dict)
    """Seconds that it waited, by what for."""
    presets: tuple[str, ...] = ()
    """Those of the client with which it ran."""
    decided: int | None = None
    """How often drawn programs decided the statement, if they judged it."""
    worker: str = ""
    broker_profile: str | None = None
    trace: str | None = None
    """Path relative to the run directory, like `evidence`."""
    evidence: str | None = None

    @property
    def unmet_should(self) -> bool:
        """True for a violation that fails a run with --strict-should only."""
        return self.verdict is Verdict.VIOLATES and self.strength == "should"

    @property
    def label(self) -> str:
        """The verdict as people read it: VIOLATES(should) for an unmet should."""
        return f"{self.verdict}({self.strength})" if self.unmet_should else str(self.verdict)


@dataclass(frozen=True, slots=True)
class RunProvider:
    """A client under test."""

    name: str
    version: str
    documents: frozenset[str]
    transport: str | None = None
    capabilities: frozenset[str] = frozenset()
    as_shipped: bool = False
    """Whether what the harness adds to its settings was left out."""
    settings: Mapping[str, object] = field(default_factory=dict)
    """What each connection was given besides the address and the login."""
    presets: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """The settings that presets stand for."""
    java: str = ""
    """The version of Java that it ran on; empty where it ran on none, or that was not recorded."""


@dataclass(frozen=True, slots=True)
class RunBroker:
    """A broker of the run; times in seconds."""

    family: str
    way: str
    version: str | None = None
    profile: str | None = None
    started_in_seconds: float | None = None

    @property
    def title(self) -> str:
        """Family and version, and the way where that is not the usual one."""
        way = "" if self.way == "embedded" else f"({self.way})"
        return " ".join(filter(None, (self.family, self.version, way)))


@dataclass(frozen=True, slots=True)
class Selection:
    """Which scenarios of the catalogues a run was asked for."""

    narrowed_by: tuple[str, ...]
    """What kept others from being asked for, such as `-k word`; empty when all of them were."""
    scenarios: frozenset[str]


@dataclass(frozen=True, slots=True)
class JudgedAgain:
    """A scenario that a second process judged, since the first one ended."""

    scenario: str
    reason: str
    evidence: str
    """Path relative to the run directory: all that is known of how it ended."""


@dataclass(frozen=True, slots=True)
class Run:
    """The facts of a run: run.json."""

    id: str
    started: datetime
    finished: datetime | None
    seed: int
    touchstone: str
    providers: tuple[RunProvider, ...]
    resumed: tuple[datetime, ...] = ()
    """When it went on after it had been ended."""
    judged_again: tuple[JudgedAgain, ...] = ()
    brokers: tuple[RunBroker, ...] = ()
    command: tuple[str, ...] = ()
    python: str = ""
    java: str = ""
    """The versions of Java that clients and the broker ran on, those of clients first."""
    machine: Mapping[str, object] = field(default_factory=dict)
    not_applicable_documents: frozenset[str] = frozenset()
    exit_status: int | None = None
    timings: Mapping[str, float | None] = field(default_factory=dict)
    selection: Selection | None = None
    """None where it was not recorded."""
    strict_should: bool = False
    """Whether an unmet should fails this run."""
    allow_inconclusive: str | None = None
    """Why INCONCLUSIVE does not fail this run, if it does not."""
    stale: tuple[str, ...] = ()
    """The known deviations that did not happen any more."""
    not_shown: tuple[str, ...] = ()
    """Those that did not happen with this release, and were seen with others."""

    def combination(self, client: str) -> Combination:
        """What a client of this run was judged on."""
        brokers = sorted({broker.title for broker in self.brokers})
        return Combination(client, ", ".join(brokers), self.java_of(client))

    def java_of(self, client: str) -> str:
        """The version of Java that a client ran on; the broker's where it ran on none."""
        told = (each.java for each in self.providers if each.name == client)
        return next(told, "") or self.java

    @property
    def seconds(self) -> float | None:
        """Wall time, with pauses of a run that went on; None while the run is not finished."""
        return (self.finished - self.started).total_seconds() if self.finished else None


@dataclass(frozen=True, slots=True)
class RunResults:
    """Everything that a run directory says, in the order in which it was judged."""

    directory: Path
    run: Run
    judgements: tuple[VerdictLine, ...]
    notices: tuple[str, ...] = ()
    """What a reader must know before believing the figures: an unfinished run, a torn line."""
    exchanges: tuple[Exchange, ...] = ()
    of_pairs: bool = False
    """Whether pairs of clients were judged, and not clients by scenarios."""

    @property
    def finished(self) -> bool:
        """False when the run was killed or still goes on."""
        return self.run.finished is not None and not self.notices

    def file(self, path: str) -> Path | None:
        """A trace or evidence of the run; None where there is none, or a link leads elsewhere."""
        file = self.directory / path
        inside = file.resolve().is_relative_to(self.directory.resolve())
        return file if inside and file.is_file() else None

    @property
    def judged_nothing(self) -> bool:
        """True when everything was NOT-APPLICABLE or INCONCLUSIVE, or there was nothing at all."""
        of_scenarios = (line.verdict for line in self.judgements)
        return JUDGED.isdisjoint((*of_scenarios, *(line.verdict for line in self.exchanges)))

    def of(self, provider: str) -> tuple[VerdictLine, ...]:
        """The judgements of one provider, by its name."""
        return tuple(line for line in self.judgements if line.provider == provider)

    def worst_by_requirement(self, provider: str) -> dict[str, Verdict]:
        """The worst verdict of each requirement that this provider was judged on."""
        seen: dict[str, Verdict] = {}
        for line in self.of(provider):
            seen[line.requirement] = worst((seen.get(line.requirement, line.verdict), line.verdict))
        return seen

    def counts(self, provider: str) -> Counter[Verdict]:
        """Requirements per worst verdict for one provider."""
        return Counter(self.worst_by_requirement(provider).values())


def worst_first(line: VerdictLine) -> tuple[int, bool]:
    """What sorts judgements worst first, an unmet should after what must be."""
    return rank(line.verdict), line.unmet_should


def sorted_worst_first(judgements: Iterable[VerdictLine]) -> list[VerdictLine]:
    """The judgements worst first, an unmet should after what must be; else in the order given."""
    return sorted(judgements, key=worst_first)


def read(run_dir: Path) -> RunResults:
    """Read and validate a run directory; raises ResultsError that names file and line.

    An unfinished run (verdicts.jsonl.part) is read as far as it goes and says so in `notices`.
    """
    run = read_run(run_dir)
    try:
        return _read(run_dir, run)
    except OSError as error:
        raise ResultsError(f"{run_dir} cannot be read: {error}") from error


def _read(run_dir: Path, run: Run) -> RunResults:
    if any((run_dir / name).exists() for name in (EXCHANGES_FILE, f"{EXCHANGES_FILE}.part")):
        exchanges, notices = _read_lines(run_dir, run, EXCHANGES_FILE, "exchange", exchange)
        _check_names(
            run_dir, run, {n for line in exchanges for n in (line.producer, line.consumer)}
        )
        return RunResults(run_dir, run, (), notices, exchanges, of_pairs=True)
    judgements, notices = _read_lines(run_dir, run, VERDICTS_FILE, "verdict", judgement)
    _check_names(run_dir, run, {line.provider for line in judgements})
    return RunResults(run_dir, run, judgements, notices)


def _check_names(run_dir: Path, run: Run, names: Iterable[str]) -> None:
    known = {provider.name for provider in run.providers}
    for name in sorted(names):
        if name not in known:
            raise ResultsError(
                f"{run_dir / RUN_FILE}: provider {name!r} has verdicts but is not listed "
                f"under 'providers' (listed: {', '.join(sorted(known)) or 'none'}); "
                "the files are not of one run"
            )


def read_all(run_dirs: Path | Sequence[Path]) -> tuple[RunResults, ...]:
    """Read one or several run directories, in their order."""
    paths = (run_dirs,) if isinstance(run_dirs, Path) else tuple(run_dirs)
    if not paths:
        raise ResultsError("no run directory given; name at least one, such as results/<run>")
    return tuple(read(path) for path in paths)


def judgement(record: Mapping[str, Any]) -> VerdictLine:
    """The value of a verdict record that fits the schema."""
    return VerdictLine(
        scenario=record["scenario"],
        requirement=record["requirement"],
        provider=record["provider"],
        verdict=Verdict(record["verdict"]),
        area=record["area"],
        document=record["document"],
        strength=record["strength"],
        reason=record["reason"],
        duration=record["duration"],
        seed=record["seed"],
        rerun=record["rerun"],
        started=datetime.fromisoformat(record["started"]),
        permissive=record.get("permissive", False),
        expected=record.get("expected"),
        seen=record.get("seen"),
        deviation=deviation(record.get("deviation")),
        by_chance=record.get("by_chance", False),
        observables=record.get("observables", {}),
        spent=record.get("spent", {}),
        presets=tuple(record.get("presets", ())),
        decided=record.get("decided"),
        worker=record.get("worker", ""),
        broker_profile=record.get("broker_profile"),
        trace=record.get("trace"),
        evidence=record.get("evidence"),
    )


def read_run(run_dir: Path) -> Run:
    """The facts of a run alone; raises ResultsError that names the file."""
    path = run_dir / RUN_FILE
    try:
        record = parse_json(path.read_text("utf-8"))
    except FileNotFoundError as error:
        raise ResultsError(
            f"{path} does not exist; give the directory of a run, such as results/<run>"
        ) from error
    except OSError as error:
        raise ResultsError(f"{path} cannot be read: {error}") from error
    except ValueError as error:
        raise ResultsError(f"{path} is not JSON: {error}") from error
    if wrong := complaint("run", record):
        raise ResultsError(f"{path}: {wrong}")
    finished = record["finished"]
    try:
        return Run(
            id=record["id"],
            started=datetime.fromisoformat(record["started"]),
            finished=datetime.fromisoformat(finished) if finished else None,
            seed=record["seed"],
            touchstone=record["touchstone"],
            providers=tuple(_provider(entry) for entry in record["providers"]),
            resumed=tuple(map(datetime.fromisoformat, record.get("resumed", []))),
            judged_again=tuple(JudgedAgain(**entry) for entry in record.get("judged_again", [])),
            brokers=tuple(RunBroker(**entry) for entry in record.get("brokers", [])),
            command=tuple(record.get("command", [])),
            python=record.get("python", ""),
            java=record.get("java", ""),
            machine=record.get("machine", {}),
            not_applicable_documents=frozenset(record.get("not_applicable_documents", [])),
            exit_status=record.get("exit_status"),
            timings=record.get("timings", {}),
            selection=_selection(record.get("selection")),
            strict_should=record.get("strict_should", False),
            allow_inconclusive=record.get("allow_inconclusive"),
            stale=tuple(record.get("stale", [])),
            not_shown=tuple(record.get("not_shown", [])),
        )
    except ValueError as error:
        raise ResultsError(f"{path}: {error}") from error


def _selection(record: Mapping[str, Any] | None) -> Selection | None:
    if record is None:
        return None
    return Selection(tuple(record["narrowed_by"]), frozenset(record["scenarios"]))


def _provider(record: Mapping[str, Any]) -> RunProvider:
    return RunProvider(
        name=record["name"],
        version=record["version"],
        documents=frozenset(record["documents"]),
        transport=record.get("transport"),
        capabilities=frozenset(record.get("capabilities", [])),
        as_shipped=record.get("as_shipped", False),
        settings=record.get("settings", {}),
        presets=record.get("presets", {}),
        java=record.get("java", ""),
    )


def _read_lines(
    run_dir: Path, run: Run, name: str, definition: str, make: Callable[[Mapping[str, Any]], T]
) -> tuple[tuple[T, ...], tuple[str, ...]]:
    """The values of a file of lines, finished or not, and what has to be known of it."""
    final, part = run_dir / name, run_dir / f"{name}.part"

    def lines_of(path: Path, lines: Sequence[bytes], first: int = 1) -> list[T]:
        return list(records(path, lines, definition, make, first))

    if final.exists():
        notices = () if run.finished else (f"{run.id}: the run did not finish",)
        return tuple(lines_of(final, final.read_bytes().split(b"\n"))), notices
    if not part.exists():
        if run.finished:
            raise ResultsError(f"{final} does not exist although {RUN_FILE} says finished")
        return (), (f"{run.id}: the run did not finish; nothing was judged yet",)

    *lines, last = part.read_bytes().split(b"\n")
    read_lines = lines_of(part, lines)
    torn: tuple[str, ...] = ()
    if last:
        try:
            read_lines += lines_of(part, [last], first=len(lines) + 1)
        except ResultsError:
            torn = (f"{part.name}:{len(lines) + 1}: the last line is torn and left out",)
    notice = f"{run.id}: the run did not finish; {len(read_lines)} {definition}s were written"
    return tuple(read_lines), (notice, *torn)
