"""ActiveMQ Classic: what a new Java client takes, and the tutorial that walks through it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from jvm_runtime.progress import quiet
from touchstone.brokers.families import broker_for, obstacle
from touchstone.brokers.settings import BrokerSettings
from touchstone.cli import main
from touchstone.errors import BrokerError
from touchstone.providers import activemq
from touchstone.providers.activemq import EmbeddedActiveMq
from touchstone.providers.registry import load_provider
from touchstone.scenario.amqp_queues import AmqpQueues
from touchstone.verdicts import ExitStatus
from touchstone_reports.results import read
from touchstone_reports.verdicts import Verdict

TUTORIAL = Path(__file__).parents[2] / "docs" / "new-java-client.md"
MODULE = Path(activemq.__file__)


def test_the_module_is_as_small_as_the_tutorial_says() -> None:
    lines = MODULE.read_text().splitlines()
    assert len(lines) <= 80
    assert f"{MODULE.name}`, {len(lines)} lines" in TUTORIAL.read_text()


def test_the_code_in_the_tutorial_is_the_modules() -> None:
    lines = {line.strip() for line in MODULE.read_text().splitlines()}
    blocks = re.findall(r"```python\n(.*?)```", TUTORIAL.read_text(), re.DOTALL)
    shown = [line.strip() for block in blocks for line in block.splitlines()]
    # Signatures are shown without their types, and what is left out as an ellipsis.
    shown = [line for line in shown if line not in ("", "…") and not line.startswith("def ")]
    assert len(blocks) == 3
    assert [line for line in shown if line not in lines] == []


def test_the_broker_tells_who_it_is_and_passes_messages() -> None:
    assert obstacle("activemq") == ""
    with EmbeddedActiveMq(show=quiet) as broker:
        address = broker.address
        assert (address.family, address.version) == ("activemq", "6.3.1")
        queues = AmqpQueues(address)
        assert queues.round_trip("control") > 0
        queues.close()


def test_counts_are_refused_and_other_ways_to_a_broker_too() -> None:
    queues = AmqpQueues(EmbeddedActiveMq(show=quiet)._new_address(Path()))
    queue = type("Named", (), {"queue_name": "orders"})()
    for count in (queues.pending, queues.ready):
        with pytest.raises(BrokerError, match="count what is on orders"):
            count(queue)
    assert queues.exists(queue) is None
    with pytest.raises(BrokerError, match="no container broker of the family activemq"):
        broker_for(BrokerSettings.parse("container", family="activemq"))


def test_the_provider_says_what_applies_to_it() -> None:
    provider = load_provider("activemq@6.3.1")
    assert (provider.documents, provider.broker_family) == (frozenset(), "activemq")


def test_scenarios_of_the_core_judge_it_as_the_tutorial_shows(tmp_path: Path) -> None:
    pytest.importorskip("jpype")
    status = main(
        ["run", "--provider", "activemq", "--results-dir", str(tmp_path),
         "--requirement", "JMS-ORD-001", "--requirement", "JMS-ORD-006"]
    )  # fmt: skip
    assert status == ExitStatus.UNEXPECTED

    [run] = tmp_path.iterdir()
    results = read(run)
    assert results.worst_by_requirement("activemq") == {
        "JMS-ORD-001": Verdict.CONFORMS,
        "JMS-ORD-006": Verdict.VIOLATES,
    }
    told = [one.reason for one in results.judgements if one.requirement == "JMS-ORD-006"]
    assert told
    assert str(told[0]) in TUTORIAL.read_text()
