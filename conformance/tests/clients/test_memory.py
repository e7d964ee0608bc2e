"""What a client holds in memory, seen from outside."""

from __future__ import annotations

from typing import cast

import pytest

from jms_brokers.brokers.interface import BrokerAddress
from jms_clients.interface import Client, ShowsMemory, VendorConstants
from jms_clients.memory import python_memory
from jms_clients.recorded import RecordedClient
from jms_clients.reference import ReferenceClient
from jms_clients.trace import Trace
from pulsar_jms.messages import PulsarTextMessage
from touchstone.outcomes.endings import NotApplicable
from touchstone.scenario.under_test import UnderTest

MEGABYTE = 1_000_000
NOWHERE = BrokerAddress("a://127.0.0.1:1", "http://127.0.0.1:1", "plain", "external", "0", "a")


def test_a_watched_message_goes_with_its_last_reference() -> None:
    with python_memory() as memory:
        message = [PulsarTextMessage("t")]
        is_there = memory.watch(message[0])
        assert is_there()
        message.clear()
        assert not is_there()


def test_what_is_kept_is_held_and_what_was_dropped_was_a_peak() -> None:
    with python_memory() as memory:
        before = memory.held()
        kept, peak = memory.peak(lambda: [bytes(2 * MEGABYTE), bytes(MEGABYTE)][1:])
        assert 3 * MEGABYTE <= peak < 4 * MEGABYTE
        assert MEGABYTE <= memory.held() - before < 2 * MEGABYTE
        kept.clear()
        assert memory.held() - before < MEGABYTE


def test_the_reference_shows_its_memory() -> None:
    client = ReferenceClient(NOWHERE)
    assert isinstance(client, ShowsMemory)
    assert RecordedClient(client, Trace()).memory is not None


def test_a_client_that_does_not_is_not_judged_by_it() -> None:
    class Closed:
        constants = VendorConstants()

    with pytest.raises(NotApplicable, match="what this client holds in memory cannot be seen"):
        UnderTest(cast(Client, Closed()), {}, Trace()).memory()
