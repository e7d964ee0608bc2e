"""A run that was ended goes on: it comes out as if nothing had happened, or says what changed."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from touchstone.cli import main
from touchstone.commands.unfinished import options_of
from touchstone.errors import UsageError
from touchstone.judging.resuming import judged, lines_kept, refuse_what_changed
from touchstone.results.run_folder import PART, RUN, VERDICTS
from touchstone_reports.results import read

pytestmark = pytest.mark.thorough

COMMAND = "from touchstone.cli import main; raise SystemExit(main())"
SEED = ("--touchstone-seed", "7")
SCENARIOS = """
import signal

def end():
    if not os.path.exists("go on"):
        with open("ending") as ending:
            exec(ending.read())
        threading.Event().wait()

@requirement("TRY-ONE-001")
@pytest.mark.parametrize("value", range(8))
def test_eight(value):
    if value == 3:
        end()
    assert value != 5, "five is too many"

@requirement("TRY-ONE-001", "TRY-ONE-002")
def test_both():
    for id_ in "TRY-ONE-001", "TRY-ONE-002":
        with judging(id_):
            assert [1] == [1]

@portable
@requirement("OTH-ONE-001")
def test_elsewhere():
    assert [1] == [1]

@needs("distributed-transactions")
@requirement("TRY-ONE-003")
def test_excused():
    assert [1] == [1]
"""
DEVIATIONS = """
[[deviation]]
provider = "memory"
requirement = "TRY-ONE-001"
scenario = "ones/test_eight[5]"
message = "five is too many*"
class = "transport-limit"
reason = "It cannot count so far."
link = "https://example.org/1"
date = 2026-01-31

[[deviation]]
provider = "memory"
requirement = "TRY-ONE-001"
scenario = "ones/test_eight[1]"
message = "one is too few"
class = "transport-limit"
reason = "It could not count so far."
link = "https://example.org/1"
date = 2026-01-31
"""
KILLED = "os.kill(os.getpid(), signal.SIGKILL)"
ENDINGS = {
    "Ctrl-C": ("os.killpg(0, signal.SIGINT)", (), 3),
    "Ctrl-C, two workers": ("os.killpg(0, signal.SIGINT)", ("-n", "2"), 3),
    "controller killed": (KILLED, (), 3),
    "controller of a worker killed": ("os.kill(os.getppid(), signal.SIGKILL)", ("-n", "1"), 3),
    "told to end": ("os.kill(os.getpgid(0), signal.SIGTERM)", (), 143),
}


HEARS = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
"""What a shell starts in the background ignores Ctrl-C, with all that it starts in turn."""


def touchstone(path: Path, *arguments: str) -> tuple[int, str]:
    """Status and output of the command, which leads a group of its own."""
    done = subprocess.run(
        [sys.executable, "-c", HEARS + COMMAND, "run", *arguments],
        cwd=path,
        env={**os.environ, "PYTHONPATH": str(path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    return done.returncode, done.stdout


def in_short(folder: Path) -> Mapping[str, Any]:
    """What does not depend on the moment."""
    facts = json.loads((folder / RUN).read_text())
    same = ("counts", "requirements", "stale", "selection", "exit_status", "catalogue")
    lines = [json.loads(line) for line in (folder / VERDICTS).read_text().splitlines()]
    parts = ("verdict", "reason", "deviation", "trace", "evidence", "observables", "seed")
    verdicts = {
        (line["scenario"], line["requirement"]): [line[name] for name in parts] for line in lines
    }
    assert len(verdicts) == len(lines), "each is judged once"
    return {"verdicts": verdicts, **{name: facts[name] for name in same}}


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where runs are kept of which many tests need the same."""
    return tmp_path_factory.mktemp("kept")


@pytest.fixture
def ended(catalogue: Any, kept: Path) -> Path:
    """The folder of a run in the small catalogue that was killed half way."""
    write(catalogue, KILLED)
    results = catalogue.pytester.path / "results"
    if not (killed := kept / "killed").exists():
        begin(catalogue)
        shutil.move(results, killed)
    shutil.copytree(killed, results)
    (folder,) = results.iterdir()
    assert isinstance(folder, Path)
    return folder


def write(catalogue: Any, ending: str) -> None:
    """The catalogue; a run of it comes to the ending, unless it may `go on`."""
    catalogue.scenarios(SCENARIOS).deviations(DEVIATIONS)
    (catalogue.pytester.path / "ending").write_text(ending)


def begin(catalogue: Any, *options: str) -> tuple[int, str]:
    path = catalogue.pytester.path
    return touchstone(path, "--provider", "memory", "--catalogue", "try", *SEED, *options)


def never_ended(catalogue: Any, kept: Path) -> tuple[int, Path]:
    """Status and folder of a run of the same, which may go on already."""
    if not (whole := kept / "whole").exists():
        status, _ = begin(catalogue, "--results-dir", str(whole))
        (whole / "status").write_text(str(status))
    (folder,) = (each for each in whole.iterdir() if each.is_dir())
    return int((whole / "status").read_text()), folder


@pytest.mark.parametrize("how", ENDINGS)
def test_a_run_that_goes_on_comes_out_as_one_that_was_never_ended(
    catalogue: Any, kept: Path, how: str
) -> None:
    ending, options, status = ENDINGS[how]
    write(catalogue, ending)
    path = catalogue.pytester.path
    ended_with, output = begin(catalogue, *options)
    (folder,) = (path / "results").iterdir()
    before = [json.loads(line) for line in (folder / PART).read_text().splitlines()]
    assert ended_with == status
    assert before
    scenarios = len({line["scenario"] for line in before})
    told = output[output.index(f"touchstone: {scenarios} of 11 scenarios were judged") :]
    assert f"  report: results/{folder.name}/report.html\n" in told
    assert f"  to go on: touchstone run --resume results/{folder.name}\n" in told
    assert (folder / "report.html").exists()

    (path / "go on").touch()
    went_on_with, output = touchstone(path, "--resume", folder.name)

    assert "scenarios were judged" not in output
    lines = [json.loads(line) for line in (folder / VERDICTS).read_text().splitlines()]
    assert lines[: len(before)] == before
    resumed = read(folder)
    assert resumed.finished
    assert len(resumed.run.resumed) == 1
    whole_ended_with, other = never_ended(catalogue, kept)
    assert in_short(folder) == in_short(other)
    assert went_on_with == whole_ended_with == 1, "an entry is stale"


def test_what_was_torn_between_two_lines_is_judged_again(catalogue: Any, ended: Path) -> None:
    path = catalogue.pytester.path
    line = json.loads((ended / PART).read_text().splitlines()[0])
    half = {**line, "scenario": "ones/test_both", "requirement": "TRY-ONE-001", "reason": "x"}
    lost = {
        **line,
        "scenario": "ones/test_eight[3]",
        "verdict": "INCONCLUSIVE",
        "reason": "its process ended: killed by SIGKILL",
    }
    others = [
        each
        for each in (ended / PART).read_text().splitlines()
        if json.loads(each)["scenario"] not in (half["scenario"], lost["scenario"])
    ]
    torn = '{"format": 1, "scenario": "ones/te'
    (ended / PART).write_text("\n".join([*others, json.dumps(half), json.dumps(lost), torn]))
    (path / "go on").touch()
    assert touchstone(path, "--resume", str(ended))[0] == 1
    verdicts = in_short(ended)["verdicts"]
    assert verdicts["ones/test_both", "TRY-ONE-001"][:2] == ["CONFORMS", None]
    assert verdicts["ones/test_eight[3]", "TRY-ONE-001"][0] == "CONFORMS"
    assert len(verdicts) == 12


def test_what_was_undecided_before_makes_no_entry_stale(catalogue: Any, ended: Path) -> None:
    path = catalogue.pytester.path
    lines = [json.loads(line) for line in (ended / PART).read_text().splitlines()]
    others = [line for line in lines if line["scenario"] != "ones/test_eight[1]"]
    conforming = next(line for line in others if line["verdict"] == "CONFORMS")
    mine = {"scenario": "ones/test_eight[1]", "requirement": "TRY-ONE-001", "undecided": True}
    undecided = {**conforming, **mine}
    (ended / PART).write_text("".join(f"{json.dumps(x)}\n" for x in (*others, undecided)))
    (path / "go on").touch()
    assert touchstone(path, "--resume", str(ended))[0] == 0
    assert read(ended).run.stale == ()


def test_a_worker_that_dies_after_a_run_went_on_is_replaced_as_ever(
    catalogue: Any, ended: Path
) -> None:
    """Its successor collects what the others did, although more is judged by now."""
    path = catalogue.pytester.path
    assert touchstone(path, "--resume", str(ended), "-n", "2")[0] == 1
    verdicts = in_short(ended)["verdicts"]
    assert len(verdicts) == 12
    died = verdicts.pop(("ones/test_eight[3]", "TRY-ONE-001"))
    assert died[0] == "INCONCLUSIVE"
    assert died[1].startswith("its process ended")
    assert "INCONCLUSIVE" not in {verdict for verdict, *_ in verdicts.values()}


def test_a_run_that_is_complete_says_so_and_keeps_its_status(
    catalogue: Any, ended: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = catalogue.pytester.path
    (path / "go on").touch()
    touchstone(path, "--resume", str(ended))
    capsys.readouterr()
    assert main(["run", "--resume", str(ended)]) == 1
    said = capsys.readouterr().out.replace("\n", "")
    assert said == f"{ended} is complete: nothing is left to judge"


def test_what_was_judged_whole_but_not_ended_is_completed(catalogue: Any, ended: Path) -> None:
    path = catalogue.pytester.path
    (path / "go on").touch()
    touchstone(path, "--resume", str(ended))
    whole = in_short(ended)
    facts = json.loads((ended / RUN).read_text())
    (ended / RUN).write_text(json.dumps({**facts, "finished": None}))
    status, output = touchstone(path, "--resume", str(ended), "-n", "1")
    assert status == 1, output
    assert in_short(ended) == whole
    assert read(ended).finished


def test_a_run_that_still_goes_on_is_left_alone(catalogue: Any, ended: Path) -> None:
    with (ended / PART).open("rb") as verdicts:
        fcntl.flock(verdicts, fcntl.LOCK_EX)
        status, output = touchstone(catalogue.pytester.path, "--resume", str(ended))
    assert "still goes on" in output
    assert status == 3


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        ("try_memory.py", '"1.2"', '"1.3"', "the client's version was 1.2, is 1.3"),
        ("try_scenarios/test_ones.py", "too many", "too much", "the catalogue's fingerprint was"),
        ("try_scenarios/deviations/memory.toml", "so far", "now", "the catalogue's fingerprint"),
    ],
)
def test_a_run_of_what_has_changed_is_refused_in_a_line(
    catalogue: Any, ended: Path, file: str, old: str, new: str, told: str
) -> None:
    path = catalogue.pytester.path
    before = (ended / PART).read_bytes()
    (path / file).write_text((path / file).read_text().replace(old, new))
    status, output = touchstone(path, "--resume", str(ended))
    (line,) = [line for line in output.splitlines() if "cannot go on as one run" in line]
    assert told in line
    assert status == 3
    assert (ended / PART).read_bytes() == before


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--touchstone-seed", "8"), "seed was 7, is 8"),
        (("--broker", "embedded:4.2.4"), "the broker's version was 4.0.7, is 4.2.4"),
        (("--draw", "3"), "is 3 scenarios (--draw 3; leaving out"),
    ],
)
def test_other_options_are_refused(
    catalogue: Any, ended: Path, options: tuple[str, ...], told: str
) -> None:
    status, output = touchstone(catalogue.pytester.path, "--resume", str(ended), *options)
    assert told in output
    assert status == 3
    assert (ended / PART).exists()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--provider", "memory"), "--resume and --provider were both given"),
        (("--baseline", "results"), "--resume and --baseline were both given"),
        ((), "nowhere is no run"),
    ],
)
def test_what_needs_no_look_at_the_run_is_refused_before(
    tmp_path: Path, options: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status = main(["run", "--results-dir", str(tmp_path), "--resume", "nowhere", *options])
    assert told in capsys.readouterr().err
    assert status == 3


FACTS: Mapping[str, Any] = {
    "id": "r",
    "seed": 1,
    "java": "",
    "providers": [{"name": "memory", "version": "1"}],
    "brokers": [{"family": "pulsar", "way": "external", "version": None}],
    "catalogue": {"fingerprint": "f"},
}


def test_what_was_not_known_yet_has_not_changed() -> None:
    broker = {"family": "pulsar", "way": "external", "version": "4.0.7"}
    refuse_what_changed(FACTS, {**FACTS, "java": "21", "brokers": [broker]})
    with pytest.raises(UsageError, match=r"^r cannot .*: the broker's version was 4.0.7, is 4.1$"):
        refuse_what_changed(
            {**FACTS, "brokers": [broker]}, {**FACTS, "brokers": [{**broker, "version": "4.1"}]}
        )


def test_a_scenario_is_judged_when_all_of_its_requirements_are() -> None:
    asked = {"a/one": ("X", "Y"), "a/two": ("X",), "a/three": ("X",)}
    assert judged(asked, [("a/one", "X"), ("a/two", "X"), ("a/three", "Z")]) == {"a/two"}


def test_what_is_excused_of_a_scenario_that_is_to_be_judged_stays() -> None:
    lines = [
        {"scenario": "a/one", "requirement": id_, "verdict": "NOT-APPLICABLE", "reason": "x"}
        for id_ in ("X", "Y")
    ]
    assert lines_kept(lines, (), {("a/one", "Y")}) == lines[1:]


def test_a_run_of_pairs_does_not_go_on(ended: Path) -> None:
    (ended / PART).rename(ended / "exchanges.jsonl.part")
    (ended / "exchanges.jsonl.part").write_text("")
    with pytest.raises(UsageError, match="is a run of pairs of clients"):
        options_of(read(ended), [])


@pytest.mark.parametrize("spelt", [["--broker", "amqp://u:***@h"], ["--broker=amqp://u:***@h"]])
def test_a_secret_has_to_be_given_again(ended: Path, spelt: list[str]) -> None:
    facts = json.loads((ended / RUN).read_text())
    (ended / RUN).write_text(json.dumps({**facts, "command": ["x", *spelt, "-n", "2"]}))
    results = read(ended)
    with pytest.raises(UsageError, match="was given a secret by --broker"):
        options_of(results, ["-x"])
    options = options_of(results, ["--broker", "amqp://u:secret@h"])
    assert options[:2] == ["-n", "2"]
    assert options[-2:] == ["--broker", "amqp://u:secret@h"]
