"""Messages that a Pulsar broker does not deliver speak against no client, and nothing else does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import httpx
import pytest

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.families.pulsar.rest import PulsarRest, TopicName
from jms_brokers.families.pulsar.withheld import withheld

# As Pulsar 4.0.7 told it while the plain Pulsar client waited in vain for the fifth message.
SUBSCRIPTION: Mapping[str, Any] = {
    "type": "Shared",
    "msgBacklog": 1,
    "unackedMessages": 0,
    "msgDelayed": 0,
    "msgInReplay": 0,
    "consumers": [{"availablePermits": 999}],
}
CURSOR: Mapping[str, Any] = {"waitingReadOp": True}
TOPIC = TopicName("orders", "public/default")


class Told:
    """What a broker tells, and how often it was asked for statistics."""

    def __init__(self) -> None:
        self.subscription = dict(SUBSCRIPTION)
        self.cursor = dict(CURSOR)
        self.transactions = 0
        self.asked = 0
        self.later: dict[str, Any] = {}
        """What is otherwise from the second look on."""

    def __call__(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        if path.endswith("/stats"):
            self.asked += 1
            row = {**self.subscription, **(self.later if self.asked > 1 else {})}
            return httpx.Response(200, json={"subscriptions": {"my queue": row}})
        if path.endswith("/internalStats"):
            return httpx.Response(200, json={"cursors": {"my+queue": self.cursor}})
        if "/pendingAckStats/" in path:
            return httpx.Response(200, json={"ongoingTxnSize": self.transactions})
        return httpx.Response(404)


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def rest(told: Told, monkeypatch: pytest.MonkeyPatch) -> Iterator[PulsarRest]:
    monkeypatch.setattr("jms_brokers.families.pulsar.withheld._APART", 0.0)
    address = BrokerAddress("pulsar://b:1", "http://b:2", "plain", "external", "4.0.7", "pulsar")
    made = PulsarRest(address)
    made.close()
    transport = httpx.MockTransport(told)
    made._client = httpx.Client(base_url="http://b:2/admin/v2/", transport=transport)
    yield made
    made.close()


def test_the_broker_is_told_from_what_it_shows(rest: PulsarRest) -> None:
    assert withheld(rest, TOPIC) == (
        "the broker keeps messages from consumers that wait for them:"
        " 1 of 'my queue' on persistent://public/default/orders"
    )


@pytest.mark.parametrize(
    "otherwise",
    [
        {"type": "Exclusive"},
        {"msgBacklog": 0},
        {"unackedMessages": 1},
        {"msgDelayed": 1},
        {"msgInReplay": 1},
        {"consumers": []},
        {"consumers": [{"availablePermits": 0}]},
    ],
    ids=lambda otherwise: next(iter(otherwise)),
)
def test_what_a_client_may_have_done_is_not(
    rest: PulsarRest, told: Told, otherwise: dict[str, Any]
) -> None:
    told.subscription |= otherwise
    assert withheld(rest, TOPIC) is None


def test_what_the_broker_is_about_to_read_is_not(rest: PulsarRest, told: Told) -> None:
    told.cursor = {"waitingReadOp": False}
    assert withheld(rest, TOPIC) is None


def test_what_a_transaction_has_acknowledged_is_not(rest: PulsarRest, told: Told) -> None:
    told.transactions = 1
    assert withheld(rest, TOPIC) is None


def test_what_is_on_its_way_just_now_is_not(rest: PulsarRest, told: Told) -> None:
    told.later = {"unackedMessages": 1}
    assert withheld(rest, TOPIC) is None
    assert told.asked == 2


def test_nothing_is_kept_of_no_topic(rest: PulsarRest, told: Told) -> None:
    rest._client = httpx.Client(
        base_url="http://b:2/admin/v2/",
        transport=httpx.MockTransport(lambda _: httpx.Response(404)),
    )
    assert withheld(rest, TOPIC) is None
