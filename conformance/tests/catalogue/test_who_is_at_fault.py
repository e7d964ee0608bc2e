"""What an entry's `fault` says, and what its reason says, is the same."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from dataclasses import replace

import pytest

from catalogue.blamed import BROKERS, says_that_the_broker_does_it, speaks_of_the_broker
from touchstone.catalogue.deviation_files import load_deviations
from touchstone.catalogue.deviations import Deviation
from touchstone.catalogue.registry import load_library

_ENTRY = Deviation("f.toml", "qpid", "JMS-X-001", "", "c", "", "", datetime.date(2026, 1, 1))


def _contradictions(entries: Iterable[Deviation]) -> list[str]:
    """The entries whose reason has the broker do it, and the fault the client, or the reverse."""
    return sorted(
        {
            f"{entry}: {entry.fault}, though {entry.reason}"
            for entry in entries
            if (entry.fault == "client" and says_that_the_broker_does_it(*_said(entry)))
            or (entry.fault == "broker" and not speaks_of_the_broker(*_said(entry)))
        }
    )


def _said(entry: Deviation) -> tuple[str, str]:
    return entry.reason, entry.provider


def test_no_entry_contradicts_its_reason() -> None:
    entries = load_deviations(load_library())
    assert {entry.provider for entry in entries} >= BROKERS.keys()
    assert {entry.fault for entry in entries} >= {"client", "broker"}
    assert _contradictions(entries) == []


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("client", "The plug-in has no transactions (its README, Limitations)."),
        ("client", "Artemis divides approximately, whatever the operands are."),
        ("broker", "JmsQueueBrowser.hasMoreElements() ends the enumeration."),
    ],
)
def test_an_entry_that_contradicts_its_reason_is_found(fault: str, reason: str) -> None:
    entry = replace(_ENTRY, fault=fault, reason=reason)
    other = "broker" if fault == "client" else "client"
    assert len(_contradictions([entry])) == 1
    assert _contradictions([replace(entry, fault=other)]) == []


@pytest.mark.parametrize(
    ("provider", "reason"),
    [
        ("openmq", "The broker takes a list of IN that is empty."),
        ("artemis", "At the broker quotients are approximate."),
        ("artemis", "A message of AMQP 1.0 ends its consumer: the broker removes it."),
        ("qpid", "In Artemis <> of unlike types is true."),
        ("qpid", "To unsubscribe it attaches without a source; the node ends the connection."),
        ("rabbitmq", "Classic queues of RabbitMQ do not count deliveries."),
        ("starlight", "Pulsar counts no redeliveries on an Exclusive subscription."),
        ("reference/amq", "The queue empties: Pulsar's broker waits for an acknowledgement."),
    ],
)
def test_a_broker_that_does_it_is_known(provider: str, reason: str) -> None:
    assert says_that_the_broker_does_it(reason, provider)
    assert speaks_of_the_broker(reason, provider)


@pytest.mark.parametrize(
    ("provider", "reason"),
    [
        ("artemis", "Artemis copies the array."),
        ("rabbitmq", "Any connection consumes from it: the broker is asked too late."),
        ("rabbitmq", "It is published, not as mandatory, so the broker drops it."),
        ("rabbitmq", "A stream arrives empty. RabbitMQ closes the connection, too."),
        ("openmq", "The broker's LoginException is a plain exception of the client's."),
        ("starlight", "Pulsar's client reconnects for ever and tells nobody."),
        ("reference", "Pulsar-client tells no sequence id."),
    ],
)
def test_what_is_told_in_passing_accuses_no_broker(provider: str, reason: str) -> None:
    assert not says_that_the_broker_does_it(reason, provider)


@pytest.mark.parametrize(
    ("provider", "reason"),
    [
        ("artemis", "Artemis copies the array."),
        ("starlight", "Pulsar's Java client asks for the last chunk alone."),
        ("rabbitmq", "RMQSession refuses nothing."),
    ],
)
def test_the_name_of_a_client_is_no_word_of_its_broker(provider: str, reason: str) -> None:
    assert not speaks_of_the_broker(reason, provider)
