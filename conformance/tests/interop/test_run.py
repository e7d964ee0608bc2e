"""Pairs of clients on a real broker: the reference, a wrong one, and the plain client."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from importlib import resources
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from jms_brokers.brokers.interface import BrokerAddress
from touchstone.cli import main
from touchstone.interop.pairs import RAW_CLIENT
from touchstone.interop.running import names_of_exchanges
from touchstone.verdicts import ExitStatus
from touchstone_reports.results import RunResults, read
from touchstone_reports.verdicts import Verdict

pytestmark = pytest.mark.thorough


def arguments(pulsar: BrokerAddress, folder: Path, *more: str) -> list[str]:
    return [
        *("interop", "--broker", pulsar.service_url, "--admin-url", pulsar.admin_url),
        *("--results-dir", str(folder), *more),
    ]


def only_run(folder: Path) -> RunResults:
    (run,) = folder.iterdir()
    return read(run)


def test_the_reference_and_the_plain_client_understand_each_other(
    pulsar: BrokerAddress, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clients = ("--client", "reference", "--client", RAW_CLIENT)
    status = main(arguments(pulsar, tmp_path, *clients))

    results = only_run(tmp_path)
    found = {one.verdict for one in results.exchanges}
    told = [one for one in results.exchanges if one.verdict is Verdict.INCONCLUSIVE]
    assert told == []
    assert found == {Verdict.CONFORMS, Verdict.DEVIATES, Verdict.NOT_APPLICABLE}
    assert status == ExitStatus.NOTHING_UNEXPECTED
    assert {one.name for one in results.exchanges} == set(names_of_exchanges())
    assert {(one.producer, one.consumer) for one in results.exchanges} == {
        (a, b) for a in ("reference", RAW_CLIENT) for b in ("reference", RAW_CLIENT)
    }
    printed = capsys.readouterr().out
    assert "sent by / read by" in printed
    assert (results.directory / "report.html").is_file()
    cases = ET.parse(results.directory / "junit.xml").getroot().iter("testcase")
    assert sorted((case.attrib["classname"], case.attrib["name"]) for case in cases) == sorted(
        (results.run.combination(f"{one.producer} to {one.consumer}").title, one.name)
        for one in results.exchanges
    )


@pytest.mark.parametrize(
    ("mutant", "exchange", "pair", "requirement"),
    [
        ("text-in-latin-1", "text-umlaut", (RAW_CLIENT, "wrong"), "JMS-BODY-001"),
        ("stream-ints-widened", "stream-int", (RAW_CLIENT, "wrong"), "JMS-BODY-001"),
        ("reply-by-short-name", "answer-topic", ("wrong", RAW_CLIENT), "SLJ-HDR-005"),
        ("correlation-id-in-the-clear", "correlation-id", ("wrong", RAW_CLIENT), "SLJ-HDR-002"),
    ],
)
def test_a_wrong_client_is_noticed(
    pulsar: BrokerAddress,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    mutant: str,
    exchange: str,
    pair: tuple[str, str],
    requirement: str,
) -> None:
    wrong = f"reference+mutant:{mutant}"
    chosen = ("--client", wrong, "--client", RAW_CLIENT, "--exchange", exchange, "--json")
    status = main(arguments(pulsar, tmp_path, *chosen))

    data = json.loads(capsys.readouterr().out)
    schema = json.loads(
        resources.files("touchstone.commands").joinpath("listings.schema.json").read_text()
    )
    Draft202012Validator({**schema, "$ref": "#/$defs/interop"}).validate(data)
    assert status == ExitStatus.UNEXPECTED
    violations = {
        (one.producer, one.consumer): [field.requirement for field in one.differences]
        for one in only_run(tmp_path).exchanges
        if one.verdict is Verdict.VIOLATES
    }
    producer, consumer = (wrong if name == "wrong" else name for name in pair)
    assert requirement in violations[producer, consumer]
    assert (RAW_CLIENT, RAW_CLIENT) not in violations


def test_a_client_that_cannot_be_opened_leaves_its_pairs_open(
    pulsar: BrokerAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = tmp_path / "absent_client.py"
    module.write_text(
        "import contextlib\n"
        "from jms_clients.errors import ProviderError\n"
        "class Absent:\n"
        "    name, version, transport, broker_family = 'absent', '1', 'native', 'pulsar'\n"
        "    documents, capabilities = frozenset({'SLJ'}), frozenset()\n"
        "    @contextlib.contextmanager\n"
        "    def open(self, broker):\n"
        "        raise ProviderError('it is not there', hint='install it')\n"
        "        yield\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    name = "python:absent_client:Absent"
    chosen = ("--client", name, "--client", RAW_CLIENT, "--exchange", "text-plain")
    status = main(arguments(pulsar, tmp_path / "results", *chosen))

    results = only_run(tmp_path / "results")
    open_ = [one for one in results.exchanges if one.verdict is Verdict.INCONCLUSIVE]
    assert status == ExitStatus.COULD_NOT_JUDGE
    assert {one.reason for one in open_} == {"it is not there"}
    assert {name in (one.producer, one.consumer) for one in open_} == {True}
    conforms = [one for one in results.exchanges if one.verdict is Verdict.CONFORMS]
    assert {(one.producer, one.consumer) for one in conforms} == {(RAW_CLIENT, RAW_CLIENT)}


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (("--exchange", "no-such"), "There is no exchange 'no-such'"),
        (("--client", "no-such"), "There is no provider 'no-such'"),
        (("--client", "reference", "--client", "reference"), "named twice"),
        (("--broker", "kafka"), "is no broker"),
        (("--token-file", "no-such-file"), "no-such-file cannot be read"),
    ],
)
def test_wrong_usage_starts_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], wrong: tuple[str, ...], says: str
) -> None:
    status = main(["interop", "--results-dir", str(tmp_path / "none"), *wrong])

    assert status == ExitStatus.FAULT
    assert says in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "none").exists()
