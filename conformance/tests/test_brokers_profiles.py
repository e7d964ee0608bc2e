"""Brokers that ask for tokens, speak TLS or make no subscriptions refuse what they should."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import _pulsar
import httpx
import pytest

from jms_brokers.brokers import credentials
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.brokers.profiles import CLIENT, NOBODY
from jms_brokers.errors import BrokerError
from jms_brokers.families.pulsar.embedded import EmbeddedPulsar
from jms_brokers.families.pulsar.readiness import client
from jms_brokers.shared.registry import broker_for
from jms_brokers.shared.settings import BrokerSettings
from jvm_runtime.progress import quiet

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def auth() -> Iterator[BrokerAddress]:
    with EmbeddedPulsar("auth", show=quiet) as broker:
        yield broker.address


def as_role(address: BrokerAddress, role: str) -> BrokerAddress:
    return replace(address, token=address.token_of(role))


def round_trip(address: BrokerAddress, topic: str) -> bytes:
    connection = client(address, seconds=3)
    try:
        consumer = connection.subscribe(topic, "s")
        connection.create_producer(topic).send(b"through")
        return bytes(consumer.receive(5000).data())
    finally:
        connection.close()


def external(address: BrokerAddress, **changes: str | None) -> BrokerSettings:
    """The settings of somebody who was given this address."""
    return replace(
        BrokerSettings(
            way="external",
            service_url=address.service_url,
            admin_url=address.admin_url,
            token=address.token,
            trust_certificate=address.trust_certificate,
        ),
        **changes,  # type: ignore[arg-type]
    )


def test_the_client_role_may_send_and_receive(auth: BrokerAddress) -> None:
    assert round_trip(as_role(auth, CLIENT), "persistent://public/default/a1") == b"through"


def test_the_client_role_may_use_a_namespace_made_later(auth: BrokerAddress) -> None:
    admin = {"Authorization": f"Bearer {auth.token}"}
    made = httpx.put(f"{auth.admin_url}/admin/v2/namespaces/public/later", headers=admin, json={})
    assert made.status_code == 204

    assert round_trip(as_role(auth, CLIENT), "persistent://public/later/a1") == b"through"


def test_a_role_without_rights_is_refused_at_once(auth: BrokerAddress) -> None:
    with pytest.raises(_pulsar.AuthorizationError):
        round_trip(as_role(auth, NOBODY), "persistent://public/default/a2")


@pytest.mark.parametrize("kind", ["none", "garbage", "another key"])
def test_a_wrong_token_is_refused(kind: str, auth: BrokerAddress, tmp_path: Path) -> None:
    token = {
        "none": None,
        "garbage": "garbage",
        "another key": credentials.make_tokens(tmp_path, ["admin"])["admin"],
    }[kind]

    with pytest.raises(BrokerError, match="refuses us") as caught:
        broker_for(external(auth, token=token)).start()

    assert auth.admin_url in str(caught.value)
    assert "oken" in caught.value.hint


def test_the_right_token_opens_the_broker_to_an_external_run(auth: BrokerAddress) -> None:
    address = broker_for(external(auth), "auth").start()

    assert (address.version, address.way, address.pid) == ("4.0.7", "external", None)
    assert round_trip(address, "persistent://public/default/a3") == b"through"


def test_files_with_secrets_are_the_owners_only(auth: BrokerAddress) -> None:
    assert auth.log is not None
    folder = Path(auth.log).parent
    secret = [folder / "standalone.conf", *(folder / "secrets").iterdir()]

    assert len(secret) == 2
    assert all(file.stat().st_mode & 0o077 == 0 for file in (folder, *secret))


def test_tokens_do_not_reach_the_log(auth: BrokerAddress) -> None:
    assert auth.log is not None
    log = Path(auth.log).read_text()

    assert not [role for role, token in auth.role_tokens.items() if token in log]


@pytest.fixture(scope="module")
def tls() -> Iterator[BrokerAddress]:
    with EmbeddedPulsar("tls", show=quiet) as broker:
        yield broker.address


def test_messages_and_admin_calls_go_through_tls(tls: BrokerAddress) -> None:
    assert tls.service_url.startswith("pulsar+ssl://")
    assert tls.admin_url.startswith("https://")
    assert round_trip(tls, "persistent://public/default/t1") == b"through"
    assert broker_for(external(tls), "tls").start().version == "4.0.7"


def test_an_authority_that_is_not_trusted_is_refused(tls: BrokerAddress, tmp_path: Path) -> None:
    other = str(credentials.make_certificate(tmp_path))

    with pytest.raises(BrokerError, match="does not answer") as caught:
        broker_for(external(tls, trust_certificate=other)).start()
    with pytest.raises(_pulsar.PulsarException):
        round_trip(replace(tls, trust_certificate=other), "persistent://public/default/t2")

    assert "authority" in caught.value.hint


def test_a_broker_without_automatic_subscriptions_makes_none() -> None:
    topic = "persistent://public/default/manual"
    with EmbeddedPulsar("no-auto-create", show=quiet) as broker:
        address = broker.address
        connection = client(address, seconds=3)
        producer = connection.create_producer(topic)  # topics come into being by use
        subscriptions = f"{address.admin_url}/admin/v2/{topic.replace('://', '/')}/subscription"
        with pytest.raises(_pulsar.PulsarException):
            connection.subscribe(topic, "mine")
        assert httpx.get(f"{subscriptions}s").json() == []

        assert httpx.put(f"{subscriptions}/mine").status_code == 204
        consumer = connection.subscribe(topic, "mine", _pulsar.ConsumerType.Shared)
        producer.send(b"through")
        assert consumer.receive(5000).data() == b"through"
        connection.close()


def test_an_external_broker_is_looked_at_before_use(pulsar: BrokerAddress) -> None:
    with broker_for(external(pulsar)) as broker:
        assert broker.address.version == "4.0.7"
        assert broker.log is None
        for what in (broker.stop, broker.kill, broker.restart, broker.pause, broker.resume):
            with pytest.raises(BrokerError, match="may not be") as caught:
                what()
            assert "--broker embedded" in caught.value.hint


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"admin_url": "http://127.0.0.1:9"}, "http://127.0.0.1:9"),
        ({"service_url": "pulsar://127.0.0.1:9"}, "pulsar://127.0.0.1:9"),
    ],
)
def test_an_external_broker_that_does_not_answer_is_named(
    changes: dict[str, str | None], named: str, pulsar: BrokerAddress
) -> None:
    with pytest.raises(BrokerError, match="does not answer") as caught:
        broker_for(external(pulsar, **changes)).start()

    assert named in str(caught.value)


def test_an_admin_url_of_something_else_is_told_of(pulsar: BrokerAddress) -> None:
    with pytest.raises(BrokerError, match="answers 404 where"):
        broker_for(external(pulsar, admin_url=f"{pulsar.admin_url}/wrong")).start()


def test_an_external_broker_is_no_profile_that_nobody_knows_it_to_be(
    pulsar: BrokerAddress,
) -> None:
    with pytest.raises(BrokerError, match="not known to be 'no-auto-create'"):
        broker_for(external(pulsar), "no-auto-create")


def test_the_extra_for_containers_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "testcontainers.core.container", None)

    with pytest.raises(BrokerError, match="not installed") as caught:
        broker_for(BrokerSettings(way="container")).start()

    assert "jms-touchstone[containers]" in caught.value.hint
