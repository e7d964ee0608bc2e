"""Artemis' own client: its URL, its releases, and what it is judged on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.families.artemis.product import LOCKED
from jms_clients import artemis
from jms_clients.artemis import connection_url
from jms_clients.errors import ProviderError
from jvm_runtime import locks
from touchstone.cli import main
from touchstone.verdicts import ExitStatus
from touchstone_reports.results import read
from touchstone_reports.verdicts import Verdict

BROKER = BrokerAddress("amqp://127.0.0.1:5672", "", "plain", "external", "2.55.0", "artemis")


def test_the_core_protocol_is_spoken_at_the_address_of_amqp() -> None:
    assert connection_url(BROKER, {"callTimeout": 500}) == "tcp://127.0.0.1:5672?callTimeout=500"


def test_every_url_bounds_the_waits_of_the_client_and_none_takes_away() -> None:
    assert "callTimeout=" in connection_url(BROKER, {})
    assert connection_url(BROKER, {"callTimeout": None, "clientID": "a b"}).endswith(
        "?clientID=a%20b"
    )


def test_a_broker_behind_tls_is_refused_by_its_address() -> None:
    with pytest.raises(ProviderError, match=r"cannot reach amqps://h:5671"):
        connection_url(replace(BROKER, service_url="amqps://h:5671"), {})


def test_the_locks_of_client_and_broker_are_two() -> None:
    assert locks.versions("artemis") == ("2.55.0",)
    assert LOCKED.known == ("2.50.0", "2.55.0")
    jars = {jar.artifact: jar.version for jar in locks.load(artemis.provider().program).jars}
    assert jars["artemis-jakarta-client"] == LOCKED.usual
    assert "artemis-server" not in jars


@pytest.mark.parametrize(("variant", "version"), [("amqp", None), (None, "2.50.0")])
def test_what_there_is_not_is_refused(variant: str | None, version: str | None) -> None:
    with pytest.raises(ProviderError, match=r"2\.50\.0|amqp"):
        artemis.provider(variant, version)


def test_scenarios_of_the_core_judge_it(tmp_path: Path) -> None:
    pytest.importorskip("jpype")
    status = main(
        ["run", "--provider", "artemis", "--results-dir", str(tmp_path),
         "--requirement", "JMS-ORD-001", "--requirement", "JMS-META-002"]
    )  # fmt: skip
    assert status == ExitStatus.NOTHING_UNEXPECTED

    [run] = tmp_path.iterdir()
    assert read(run).worst_by_requirement("artemis") == {
        "JMS-ORD-001": Verdict.CONFORMS,
        "JMS-META-002": Verdict.DEVIATES,
        "JMS-ORD-005": Verdict.CONFORMS,
    }
