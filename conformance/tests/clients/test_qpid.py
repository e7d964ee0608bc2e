"""The provider qpid: the client's URL, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.families.artemis.product import LOCKED
from jms_clients import qpid
from jms_clients.errors import ProviderError
from jms_clients.qpid import connection_url
from jvm_runtime import locks

BROKER = BrokerAddress("amqp://127.0.0.1:5672", "", "plain", "external", "2.55.0", "artemis")
BARE: dict[str, object] = {"jms.useDaemonThread": None}


def test_no_thread_of_the_client_keeps_the_process_alive() -> None:
    assert connection_url(BROKER, {}) == "amqp://127.0.0.1:5672?jms.useDaemonThread=true"


def test_settings_win_over_defaults_and_none_takes_away() -> None:
    url = connection_url(BROKER, BARE | {"jms.sendTimeout": 500})
    assert url == "amqp://127.0.0.1:5672?jms.sendTimeout=500"
    assert connection_url(BROKER, BARE) == "amqp://127.0.0.1:5672"


def test_options_of_one_address_stay_inside_the_parentheses_of_failover() -> None:
    settings = BARE | {"failover.reconnectDelay": 20, "amqp.traceFrames": True, "jms.clientID": "a"}
    assert connection_url(BROKER, settings) == (
        "failover:(amqp://127.0.0.1:5672?amqp.traceFrames=true)"
        "?failover.reconnectDelay=20&jms.clientID=a"
    )


def test_an_address_may_ask_for_failover_by_itself() -> None:
    address = replace(BROKER, service_url="failover:(amqp://127.0.0.1:5672)")
    assert connection_url(address, BARE) == "failover:(amqp://127.0.0.1:5672)"


def test_user_and_password_travel_as_options_with_their_signs_quoted() -> None:
    address = replace(BROKER, user_name="me", password="a&b=c d")
    assert connection_url(address, BARE).endswith("?jms.username=me&jms.password=a%26b%3Dc%20d")


def test_an_option_that_the_client_would_ignore_is_refused() -> None:
    with pytest.raises(ProviderError, match=r"no option 'enableTransaction' \(given 'true'\)"):
        connection_url(BROKER, {"enableTransaction": "true"})


def test_a_certificate_alone_is_refused() -> None:
    with pytest.raises(ProviderError, match=r"cannot trust the certificate ca\.pem"):
        connection_url(replace(BROKER, trust_certificate="ca.pem"), {})


def test_locked_are_the_newest_versions_of_both_namespaces() -> None:
    assert locks.versions("qpid") == ("1.16.0", "2.10.0")
    assert qpid.provider(version="1.16.0").namespace == "javax.jms"
    assert qpid.provider().namespace == "jakarta.jms"


@pytest.mark.parametrize(("variant", "version"), [("rabbitmq", None), (None, "9.9.9")])
def test_what_there_is_not_is_refused(variant: str | None, version: str | None) -> None:
    with pytest.raises(ProviderError, match=r"9\.9\.9|rabbitmq"):
        qpid.provider(variant, version)


def test_the_broker_is_locked() -> None:
    jars = {jar.artifact: jar.version for jar in locks.load(LOCKED.lock()).jars}
    assert jars["artemis-server"] == jars["artemis-amqp-protocol"] == "2.55.0"
