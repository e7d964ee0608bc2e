"""What the harness asks of a Pulsar broker's admin API again, and what it takes as a refusal."""

from __future__ import annotations

import httpx
import pytest

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.errors import BrokerError
from jms_brokers.families.pulsar.rest import PulsarRest

# As Pulsar 4.0.7 said when it stored a first acknowledgement of the same subscription.
ANOTHER_CAME_BETWEEN = (
    "--- An unexpected error occurred in the server ---\n\nMessage: org.apache.pulsar.metadata."
    "api.MetadataStoreException$BadVersionException: Version mismatch, actual=13, expect=12"
)
# As Pulsar 4.0.7 said of a topic's statistics after it was killed and started again.
RECOVERS = (
    '{"reason":"\\n --- An unexpected error occurred in the server ---\\n\\nMessage: org.apache.'
    "bookkeeper.mledger.ManagedLedgerException: Error while recovering ledger error code: -10"
)
PATH = "persistent/public/default/orders/subscription/s/properties"


class Refused:
    """A broker that answers its first requests with 500 and these texts, then with 204."""

    def __init__(self, *texts: str) -> None:
        self.texts = list(texts)
        self.asked: list[bytes] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request.content)
        return httpx.Response(500, text=self.texts.pop(0)) if self.texts else httpx.Response(204)

    def rest(self) -> PulsarRest:
        address = BrokerAddress(
            "pulsar://b:1", "http://b:2", "plain", "external", "4.0.7", "pulsar"
        )
        made = PulsarRest(address)
        made.close()
        made._client = httpx.Client(
            base_url="http://b:2/admin/v2/", transport=httpx.MockTransport(self)
        )
        return made


def test_what_another_write_came_between_is_put_again() -> None:
    broker = Refused(ANOTHER_CAME_BETWEEN, ANOTHER_CAME_BETWEEN)
    broker.rest().replace(PATH, {"marked": "before"})
    assert broker.asked == [b'{"marked":"before"}'] * 3


def test_another_refusal_is_no_reason_to_ask_again() -> None:
    broker = Refused("out of memory")
    with pytest.raises(BrokerError, match="answered with 500: out of memory"):
        broker.rest().replace(PATH, {})
    assert len(broker.asked) == 1


def test_a_refusal_that_lasts_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jms_brokers.families.pulsar.rest._TAKEN_WITHIN", 0.0)
    broker = Refused(ANOTHER_CAME_BETWEEN, ANOTHER_CAME_BETWEEN)
    with pytest.raises(BrokerError, match="Version mismatch"):
        broker.rest().replace(PATH, {})


def test_a_topic_is_asked_for_again_while_its_ledgers_are_recovered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("jms_brokers.families.pulsar.rest._BETWEEN_LOOKS", 0.0)
    broker = Refused(RECOVERS, RECOVERS)
    assert broker.rest().request("GET", "persistent/public/default/orders/stats").is_success
    assert len(broker.asked) == 3


def test_ledgers_that_are_not_recovered_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jms_brokers.families.pulsar.rest._RECOVERED_WITHIN", 0.0)
    broker = Refused(RECOVERS)
    with pytest.raises(BrokerError, match="recovering ledger"):
        broker.rest().request("GET", "persistent/public/default/orders/stats")
    assert len(broker.asked) == 1
