"""What an administrator limits reaches the settings of each family, and nothing else does."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.brokers.limits import NONE, Limits
from jms_brokers.families.activemq.configuration import activemq_xml
from jms_brokers.families.artemis.configuration import broker_xml
from jms_brokers.families.brokerj.configuration import initial_config
from jms_brokers.families.openmq.configuration import config_properties
from jms_brokers.families.pulsar import blueprint
from jms_brokers.families.pulsar.profiles import PROFILES
from jms_brokers.families.rabbitmq import accounts as rabbitmq_accounts
from jms_brokers.families.rabbitmq import server as rabbitmq_server
from jms_brokers.shared.registry import family_named

SOME = Limits(connections=7, each=3, time_to_live=5_000)
ADDRESS = BrokerAddress("pulsar://h:1", "http://h:2", "plain", "embedded", "", "pulsar")
NODE = rabbitmq_server.Node("n@localhost", 1, 2, 3)


def configured(family: str, limits: Limits, folder: Path) -> str:
    """All that a broker of the family is told, as text."""
    match family:
        case "pulsar":
            profile = replace(PROFILES["plain"], limits=limits)
            settings = blueprint.settings(profile, ADDRESS, "/s")
            return "\n".join(f"{name}={value}" for name, value in settings.items())
        case "artemis":
            return broker_xml("n", "/d", "h", 1, limits=limits)
        case "activemq":
            return activemq_xml("n", "/d", "h", 1, None, limits)
        case "brokerj":
            return initial_config("n", Path("/d"), "h", 1, limits=limits)
        case "openmq":
            return config_properties("h", 1, "password", limits)
        case _:
            rabbitmq_server.prepare(NODE, folder, {}, limits)
            definitions = folder / "definitions.json"
            loaded = definitions.read_text() if definitions.exists() else ""
            return (folder / "rabbitmq.conf").read_text() + loaded


TOLD = {
    "pulsar": (
        "brokerMaxConnections=7",
        "maxConsumersPerTopic=3",
        "maxProducersPerTopic=3",
        "ttlDurationDefaultInSeconds=5",
    ),
    "artemis": (
        ";connectionsAllowed=7</acceptor>",
        "<default-max-consumers>3</default-max-consumers>",
        "<max-expiry-delay>5000</max-expiry-delay>",
    ),
    "activemq": (
        '?maximumConnections=7"',
        'maximumConsumersAllowedPerConnection="3"',
        'maximumProducersAllowedPerConnection="3"',
        '<timeStampingBrokerPlugin ttlCeiling="5000"/>',
    ),
    "brokerj": (
        '"maxOpenConnections": 7',
        '"qpid.port.sessionCountLimit": 3',
        '"queue.maximumMessageTtl": 5000',
    ),
    "openmq": (
        "imq.jms.max_threads=14",
        "imq.autocreate.destination.maxNumProducers=3",
        "imq.autocreate.queue.maxNumActiveConsumers=3",
    ),
    "rabbitmq": ("channel_max = 3\n", '"max-connections": 7', '"message-ttl": 5000'),
}


@pytest.mark.parametrize("family", TOLD)
def test_each_limit_is_told_where_it_is_set_alone(family: str, tmp_path: Path) -> None:
    unlimited, limited = tmp_path / "unlimited", tmp_path / "limited"
    unlimited.mkdir()
    limited.mkdir()

    without = configured(family, NONE, unlimited)
    told = configured(family, SOME, limited)

    assert [each for each in TOLD[family] if each not in told] == []
    assert [each for each in TOLD[family] if each in without] == []


@pytest.mark.parametrize("family", TOLD)
def test_what_is_not_limited_is_not_allowed_a_number(family: str) -> None:
    scopes = family_named(family).limits

    assert NONE.within(scopes) == {}
    assert Limits(connections=7).within(scopes) == {"connections": (7, "broker")}
    assert SOME.within(scopes).keys() == scopes.keys()


def test_a_node_with_limits_has_the_users_that_it_has_without() -> None:
    loaded = json.loads(rabbitmq_accounts.definitions({"u": "p"}, SOME))

    assert [user["name"] for user in loaded["users"]] == ["u"]
    assert {row["vhost"] for row in (*loaded["parameters"], *loaded["policies"])} == {"/"}
