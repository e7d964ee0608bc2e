"""The matrix: which combinations are judged, what is refused, and what the table says of each."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from commands.made_runs import EARLY
from commands.test_runs_compared import a_run
from touchstone.cli import main
from touchstone.commands import run
from touchstone.commands.matrix import BrokerChoice, combinations
from touchstone.errors import UsageError
from touchstone.verdicts import ExitStatus


def chosen(clients: Sequence[str], *brokers: str) -> list[tuple[str, str]]:
    cells = combinations(dict.fromkeys(clients), [BrokerChoice.of(text) for text in brokers])
    return [(cell.client, cell.broker.option) for cell in cells]


def test_each_client_is_judged_on_each_broker_of_its_family() -> None:
    brokers = ("pulsar=embedded", "pulsar=container", "artemis=amqp://h:5672", "pulsar=embedded")

    assert chosen(["starlight@7.0.15", "qpid"], *brokers) == [
        ("starlight@7.0.15", "pulsar=embedded"),
        ("starlight@7.0.15", "pulsar=container"),
        ("qpid", "artemis=amqp://h:5672"),
    ]


def test_without_a_broker_of_its_family_a_client_gets_the_embedded_one() -> None:
    assert chosen(["reference", "qpid"], "pulsar=container") == [
        ("reference", "pulsar=container"),
        ("qpid", "artemis=embedded"),
    ]


def test_a_client_is_judged_on_brokers_of_every_family_that_it_talks_to() -> None:
    brokers = ("rabbitmq=embedded", "artemis=embedded")

    assert chosen(["rabbitmq", "qpid@2.10.0"], *brokers) == [
        ("rabbitmq", "rabbitmq=embedded"),
        ("qpid@2.10.0+on:rabbitmq", "rabbitmq=embedded"),
        ("qpid@2.10.0", "artemis=embedded"),
    ]
    assert chosen(["qpid+on:rabbitmq", "qpid"], *brokers) == [
        ("qpid+on:rabbitmq", "rabbitmq=embedded"),
        ("qpid", "artemis=embedded"),
    ]


def test_a_broker_that_no_client_uses_is_refused() -> None:
    with pytest.raises(UsageError, match="No client can talk to a broker of the family rabbitmq"):
        chosen(["reference"], "rabbitmq=embedded")


@pytest.mark.parametrize("text", ["embedded", "pulsar", "pulsar=", "kafka=embedded", "=container"])
def test_a_broker_without_family_or_name_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="names no family and broker") as caught:
        BrokerChoice.of(text)

    assert "FAMILY=image:NAME" in caught.value.hint


def test_passwords_are_not_shown() -> None:
    choice = BrokerChoice.of("rabbitmq=amqp://me:secret@host:5672")

    assert "secret" not in choice.named
    assert choice.option == "rabbitmq=amqp://me:secret@host:5672"


def test_the_table_has_each_combination_and_what_differs_between_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    verdicts = iter(["CONFORMS", "VIOLATES"])
    asked: list[Sequence[str]] = []

    def judged(
        packages: Sequence[str], options: Sequence[str], more: Mapping[str, str], **_: bool
    ) -> ExitStatus:
        assert packages
        assert more == {}
        asked.append(options)
        verdict = next(verdicts)
        a_run(tmp_path / f"run-{verdict}", "reference", EARLY, verdict)
        return ExitStatus.UNEXPECTED if verdict == "VIOLATES" else ExitStatus.NOTHING_UNEXPECTED

    monkeypatch.setattr(run, "judge", judged)
    status = main(
        [
            *("matrix", "--client", "reference", "--results-dir", str(tmp_path)),
            *("--broker", "pulsar=embedded", "--broker", "pulsar=container", "--draw", "3"),
        ]
    )

    assert status == ExitStatus.UNEXPECTED
    broker = [options[options.index("--broker") + 1] for options in asked]
    assert broker == ["pulsar=embedded", "pulsar=container"]
    assert all(tuple(options[-2:]) == ("--draw", "3") for options in asked)
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    differing = [line for line in lines if line and line[0] == "SLJ-HDR-001"]
    assert [line[-1] for line in differing] == ["CONFORMS", "VIOLATES"]
    tabled = [line[-2:] for line in lines if line[:2] == ["reference", "(9)"]]
    assert tabled == [["nothing", "unexpected"], ["1", "unexpected"]]
    page = tmp_path / "matrix" / "report.html"
    assert "SLJ-HDR-001" in page.read_text("utf-8")
    assert json.loads((tmp_path / "matrix" / "badge.json").read_text("utf-8"))["color"] == "red"
