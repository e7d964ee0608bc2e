"""The command line: statuses, listings and their schema, drafts, coverage."""

from __future__ import annotations

import datetime
import json
import tomllib
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from jms_brokers.machine.findings import CheckState, MachineFinding, examine
from jms_clients import readiness
from jms_clients.interface import Provider
from jms_clients.mutants.registry import all_mutants
from jms_clients.registry import load_provider
from jvm_runtime.jvm_errors import JavaError
from touchstone.catalogue import load_library
from touchstone.catalogue.deviation_drafts import draft
from touchstone.catalogue.deviation_files import load_deviations, read_deviations
from touchstone.cli import main
from touchstone.commands import run
from touchstone.commands.run import status_of, workers
from touchstone.errors import HarnessError
from touchstone.verdicts import ExitStatus
from touchstone_reports.results import RunResults, read

NO_RUNS = ("--results-dir", "there-are-none")
KNOWN = "redelivered-false"


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    """What the command prints with --json, checked against the schema of its listing."""
    assert main([*arguments, "--json"]) == ExitStatus.NOTHING_UNEXPECTED
    data = json.loads(capsys.readouterr().out)
    schema = json.loads(
        resources.files("touchstone.commands").joinpath("listings.schema.json").read_text()
    )
    listing = "coverage-drawn" if "--drawn" in arguments else arguments[0]
    Draft202012Validator({**schema, "$ref": f"#/$defs/{listing}"}).validate(data)
    assert isinstance(data, dict)
    return data


@pytest.mark.parametrize(
    "arguments",
    [
        ("list",),
        ("providers",),
        ("deviations",),
        ("doctor",),
        ("findings", "--provider", "qpid"),
        ("moving", "--from", "activemq", "--to", "qpid@1.16.0"),
        ("explain", "SLJ-PROP-002"),
        ("coverage", *NO_RUNS),
        ("coverage", "--drawn", *NO_RUNS),
        ("broker", "status"),
    ],
    ids=" ".join,
)
def test_listings_keep_to_their_schema(
    arguments: tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if arguments[0] == "broker":
        monkeypatch.setenv("TOUCHSTONE_CACHE", str(tmp_path))
    assert printed(capsys, *arguments)["format"] == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("list",),
        ("providers", "--mutants"),
        ("deviations",),
        ("findings", "--provider", "starlight"),
        ("coverage", *NO_RUNS),
        ("coverage", "--drawn", *NO_RUNS),
    ],
    ids=" ".join,
)
def test_listings_are_tables_for_people(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == ExitStatus.NOTHING_UNEXPECTED
    assert "SLJ" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["no-such-command"], "invalid choice"),
        (["list", "--no-such-option"], "touchstone list: unrecognized arguments: --no-such-opt"),
        (["lock", "no-such-file"], "no-such-file cannot be read"),
        (["lock", __file__], "The list names no jar"),
        (["list", "--area", "no-such-area"], "There is no area 'no-such-area'"),
        (["list", "--requirement", "SLJ-NONE-001"], "There is no requirement 'SLJ-NONE-001'"),
        (["explain", "SLJ-PROP-00"], "Did you mean SLJ-PROP-0"),
        (["coverage", "no-such-run"], "no-such-run is no run"),
        (["report", *NO_RUNS], "There is no run below there-are-none"),
        (["report", "--provider", "me", *NO_RUNS], "There is no run of me below there-are-none"),
        (["deviations", "--deviations", "no.toml"], "no.toml does not exist"),
        (["run", "--all", "--provider", "me"], "--all and --provider were both given"),
        (["run", "--catalogue", "none"], "There is no catalogue 'none'"),
        (["coverage", "--document", "NONE", *NO_RUNS], "There is no document 'NONE'"),
        (
            ["prove", "--mutant", "redelivered-false", "--mutant", "none"],
            "There is no mutant 'none'",
        ),
        (["prove", "--area", "none"], "No wrong client is of an area 'none'"),
        (
            ["prove", "--mutant", "redelivered-false", "--area", "selectors"],
            "No wrong client was chosen",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_usage_is_status_3_and_says_what_is_wrong(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        status: object = main(arguments)
    except SystemExit as exit_:
        status = exit_.code
    assert status == ExitStatus.FAULT
    assert says in capsys.readouterr().err


def test_what_nobody_expected_is_no_violation(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where it came from is shown."""

    def broken(arguments: object) -> ExitStatus:
        raise ZeroDivisionError("by nought")

    monkeypatch.setattr("touchstone.commands.listing.run", broken)
    assert main(["list"]) == ExitStatus.FAULT
    said = capsys.readouterr().err
    assert "in broken" in said
    assert "touchstone: ZeroDivisionError, which nobody expected: by nought" in said


def test_explain_gathers_what_all_parts_know(capsys: pytest.CaptureFixture[str]) -> None:
    facts = printed(capsys, "explain", "SLJ-HDR-002")["requirement"]
    assert isinstance(facts, dict)
    assert facts["statement"] == load_library().requirements["SLJ-HDR-002"].statement
    assert [rule["module"] for rule in facts["rules"]] == ["pulsar_jms.mapping.headers"]
    assert "headers/test_correlation_id_is_base64" in [fact["id"] for fact in facts["scenarios"]]
    assert "correlation-id-in-the-clear" in [mutant["name"] for mutant in facts["mutants"]]


def test_explain_says_whose_fault_a_deviation_is_and_cuts_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    known = [
        deviation
        for deviation in load_deviations(load_library())
        if deviation.requirement == "JMS-TEMP-005" and deviation.fault == "broker"
    ]
    assert known

    assert main(["explain", "JMS-TEMP-005"]) == ExitStatus.NOTHING_UNEXPECTED

    lines = capsys.readouterr().out.splitlines()
    for deviation in known:
        whose = f"{deviation.provider} on {deviation.broker} ({deviation.kind} of the broker)"
        assert f"  {whose}: {deviation.reason}" in lines


def test_deviations_say_whose_fault_each_is(capsys: pytest.CaptureFixture[str]) -> None:
    told = printed(capsys, "deviations", "--provider", "reference/amq")["deviations"]
    assert isinstance(told, list)
    assert {entry["fault"] for entry in told} == {"broker"}

    assert main(["deviations", "--provider", "reference/amq"]) == ExitStatus.NOTHING_UNEXPECTED

    assert capsys.readouterr().out.count("(broker)") == len(told)


@pytest.mark.parametrize(
    ("code", "status"), [(0, 0), (1, 1), (2, 2), (3, 3), (4, 3), (5, 3), (-9, 3), (137, 3)]
)
def test_what_pytest_cannot_do_is_a_fault(code: int, status: int) -> None:
    assert status_of(code) == status


@pytest.fixture
def violated(tmp_path: Path) -> RunResults:
    """A run with one violation whose reason has every kind of odd character."""
    run = {
        "format": 1, "id": "r", "started": "2026-01-01T00:00:00+00:00", "finished": None,
        "seed": 1, "command": [], "touchstone": "0", "python": "3",
        "machine": {"platform": "p", "cpus": 1, "memory_mib": 1},
        "providers": [{"name": "reference", "version": "0.1.0", "transport": "native",
                       "documents": ["SLJ"], "capabilities": []}],
        "brokers": [], "counts": {}, "requirements": {}, "not_applicable_documents": [],
        "exit_status": None, "timings": {}, "catalogue": {"scenarios": 1},
    }  # fmt: skip
    line = {
        "format": 1, "scenario": "headers/test_x", "requirement": "SLJ-HDR-001",
        "provider": "reference", "verdict": "VIOLATES", "strength": "must", "permissive": False,
        "reason": 'assert "a\\b" == \'\x7f\u0085é\'\nsecond line', "expected": None, "seen": None,
        "deviation": None, "observables": {}, "duration": 0.1, "worker": "master",
        "broker_profile": "plain", "seed": 1, "trace": None, "evidence": None, "rerun": "r",
        "started": "2026-01-01T00:00:00+00:00", "area": "headers", "document": "SLJ",
    }  # fmt: skip
    (tmp_path / "run.json").write_text(json.dumps(run))
    (tmp_path / "verdicts.jsonl").write_text(json.dumps(line) + "\n")
    return read(tmp_path)


def test_a_drafted_entry_is_refused_until_it_has_a_reason(
    violated: RunResults, tmp_path: Path
) -> None:
    text = draft(violated, datetime.date(2026, 1, 2))
    [entry] = tomllib.loads(text)["deviation"]
    assert entry["message"] == "assert \"a\\b\" == '\x7f\u0085é'"
    assert (entry["requirement"], entry["scenario"]) == ("SLJ-HDR-001", "headers/test_x")

    file = tmp_path / "deviations.toml"
    file.write_text(text, encoding="utf-8")
    library = load_library()
    with pytest.raises(HarnessError):
        read_deviations(file, library)
    filled = text.replace('reason = ""', 'reason = "so"').replace(
        'class = ""', 'class = "transport-limit"'
    )
    file.write_text(filled, encoding="utf-8")
    [accepted] = read_deviations(file, library)
    assert accepted.expects(str(violated.judgements[0].reason))


def test_a_check_that_cannot_look_is_a_failure_with_advice() -> None:
    def fails() -> MachineFinding:
        raise JavaError("no Java", hint="get one")

    def unreadable() -> MachineFinding:
        raise PermissionError(13, "Permission denied", "/x")

    assert examine(fails) == MachineFinding(CheckState.FAILS, "no Java", "get one")
    assert examine(unreadable).state is CheckState.FAILS
    assert "/x" in examine(unreadable).seen


ASKED_FOR = ["--able", *(f"--provider={name}" for name in ("reference", "starlight"))]


@pytest.mark.parametrize(
    ("asked", "able"), [(["--all"], ["reference", "reference-java"]), (ASKED_FOR, ["reference"])]
)
def test_who_can_run_is_judged_and_the_others_are_named(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    asked: list[str],
    able: list[str],
) -> None:
    judged: list[str] = []

    def judge(packages: Sequence[str], options: Sequence[str]) -> ExitStatus:
        judged.append(options[1])
        return ExitStatus.COULD_NOT_JUDGE if "java" in options[1] else ExitStatus.UNEXPECTED

    def obstacle(provider: Provider) -> str:
        return "no [bold] jars" if provider.name == "starlight" else ""

    monkeypatch.setattr(run, "judge", judge)
    monkeypatch.setattr(
        readiness, "spellings", lambda: ("reference", "reference-java", "starlight")
    )
    monkeypatch.setattr(readiness, "obstacle", obstacle)
    assert main(["run", *asked, "-x"]) == ExitStatus.UNEXPECTED
    assert judged == able
    assert "starlight cannot run here: no [bold] jars" in capsys.readouterr().out


def test_the_list_of_clients_has_the_spellings_that_runs_take(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["providers"]) == ExitStatus.NOTHING_UNEXPECTED
    _, head, *lines = capsys.readouterr().out.splitlines()
    assert head.split()[:3] == ["--provider", "version", "or"]
    further = head.index("or"), head.index("namespace")
    spelled = [word for line in lines for word in (line.split()[0], *line[slice(*further)].split())]
    assert {"reference", "starlight@7.0.15", "qpid+on:rabbitmq"} <= {*spelled}
    for spelling in spelled:
        assert load_provider(spelling).broker_family, spelling


def test_where_none_can_run_nothing_is_judged(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(readiness, "obstacle", lambda provider: "no jars")
    assert main(["run", "--able", "--provider", "starlight"]) == ExitStatus.FAULT
    assert "None of starlight can run on this machine" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("provider", "options", "added"),
    [
        ("reference-java", ["--area", "x"], ["-n", "1"]),
        ("reference-java", ["-n", "2"], []),
        ("reference-java", ["--numprocesses=0"], []),
        ("reference", [], []),
        ("no-such-client", [], []),
    ],
)
def test_a_client_in_java_has_a_worker_of_its_own(
    provider: str, options: list[str], added: list[str]
) -> None:
    assert workers(provider, options) == added


def test_a_wrong_client_is_spelt_by_its_provider() -> None:
    assert {mutant.provider for mutant in all_mutants().values()} == {
        "reference",
        "reference-java",
        "reference/amq",
        "reference/rabbitmq",
    }
    assert load_provider(all_mutants()["rollback-commits"].spelling).transport == "java"
    assert load_provider(all_mutants()["browser-closes"].spelling).documents == {"RMQ"}


def test_a_fault_shows_no_secret_and_commands_no_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["report", "no\x1b[31m-run-[/]-amqp://me:hunter2@host"]) == ExitStatus.FAULT
    told = capsys.readouterr().err
    assert "\\x1b[31m-run-[/]" in told
    assert "\x1b" not in told
    assert "hunter2" not in told


def test_a_usage_fault_shows_no_secret(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["compare", "a", "b", "--broker", "amqp://me:hunter2@host"])
    told = capsys.readouterr().err
    assert "unrecognized arguments" in told
    assert "hunter2" not in told


def test_an_unexpected_fault_shows_no_secret(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(arguments: object) -> ExitStatus:
        raise ValueError("amqp://me:hunter2@host is odd")

    monkeypatch.setattr("touchstone.commands.doctor.run", fail)
    assert main(["doctor"]) == ExitStatus.FAULT
    told = capsys.readouterr().err
    assert "ValueError: amqp://me:***@host is odd" in told
    assert "hunter2" not in told


def test_a_requirement_is_explained_with_presets_and_options(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["explain", "JMS-BODY-039"]) == ExitStatus.NOTHING_UNEXPECTED
    told = " ".join(capsys.readouterr().out.split())
    assert "trusted-objects: the client reads objects of every class" in told
    assert "(presets: transactions, trusted-objects)" in told
    assert main(["explain", "JMS-PROP-033"]) == ExitStatus.NOTHING_UNEXPECTED
    assert "Kept with jms.strictCompliance=true." in " ".join(capsys.readouterr().out.split())
