"""Profiles, addresses and settings are plain data that keeps its secrets."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.brokers.profiles import COMMON, profile_of
from jms_brokers.errors import BrokerError
from jms_brokers.families.pulsar import blueprint, configuration
from jms_brokers.families.pulsar.profiles import PROFILES
from jms_brokers.shared.settings import BrokerSettings
from touchstone.brokers.option import broker_settings

ADDRESS = BrokerAddress(
    service_url="pulsar+ssl://127.0.0.1:6651",
    admin_url="https://127.0.0.1:8443",
    profile="auth",
    way="embedded",
    version="4.0.7",
    family="pulsar",
    token="ADMIN-SECRET",
    role_tokens={"admin": "ADMIN-SECRET", "nobody": "NOBODY-SECRET"},
    trust_certificate="/x/authority.pem",
    pid=17,
    log="/x/broker.log",
)


def test_an_address_travels_as_json() -> None:
    assert BrokerAddress.from_dict(json.loads(json.dumps(ADDRESS.to_dict()))) == ADDRESS


@pytest.mark.parametrize(
    "value", [ADDRESS, BrokerSettings(way="external", service_url="pulsar://h", token="X-SECRET")]
)
def test_secrets_are_never_shown(value: object) -> None:
    assert "SECRET" not in f"{value!r} {value}"


def test_roles_log_in_as_their_family_has_it() -> None:
    user = replace(ADDRESS, users_log_in=True).as_role("nobody")

    assert (user.user_name, user.password, user.token) == ("nobody", "NOBODY-SECRET", ADDRESS.token)
    assert user.login_of("nobody") == ("nobody", "NOBODY-SECRET")
    assert ADDRESS.as_role("nobody") == replace(ADDRESS, token="NOBODY-SECRET")
    assert ADDRESS.login_of("nobody") == ("nobody", "token:NOBODY-SECRET")


def test_the_token_of_a_role_that_has_none_is_told_of() -> None:
    assert ADDRESS.token_of("nobody") == "NOBODY-SECRET"
    with pytest.raises(BrokerError, match="'king'") as caught:
        ADDRESS.token_of("king")

    assert "admin, nobody" in caught.value.hint
    assert "SECRET" not in str(caught.value)


def test_ports_are_those_of_the_urls() -> None:
    assert (ADDRESS.service_port, ADDRESS.admin_port) == (6651, 8443)


def test_a_profile_that_does_not_exist_is_told_of() -> None:
    with pytest.raises(BrokerError, match="'plian'") as caught:
        profile_of("artemis", COMMON, "plian")

    assert all(name in caught.value.hint for name in COMMON)


def test_profiles_change_what_they_say() -> None:
    off = blueprint.settings(PROFILES["no-auto-create"], ADDRESS, "/s")
    on = blueprint.settings(PROFILES["plain"], ADDRESS, "/s")

    assert off["allowAutoSubscriptionCreation"] == "false"
    assert on["allowAutoSubscriptionCreation"] == "true"
    assert off["allowAutoTopicCreation"] == on["allowAutoTopicCreation"] == "true"


def test_a_configuration_file_has_a_line_for_each_setting() -> None:
    assert configuration.properties_text({"a": 1, "b": "x y"}) == "a=1\nb=x y\n"


@pytest.mark.parametrize(
    ("option", "admin"),
    [
        ("pulsar://broker:6650", "http://broker:8080"),
        ("pulsar+ssl://broker.example:6651/", "https://broker.example:8443"),
        ("pulsar://[::1]:6650", "http://[::1]:8080"),
    ],
)
def test_an_external_brokers_admin_url_is_guessed_from_its_host(option: str, admin: str) -> None:
    settings = broker_settings(option)

    assert (settings.way, settings.service_url) == ("external", option.rstrip("/"))
    assert settings.admin_url == admin
    assert broker_settings(option, admin_url="http://a:1/").admin_url == "http://a:1"


def test_settings_travel_as_json() -> None:
    settings = broker_settings("pulsar://h:1", token="t", trust_certificate="/c.pem")

    assert BrokerSettings.from_dict(json.loads(json.dumps(settings.to_dict()))) == settings


@pytest.mark.parametrize("option", ["embeded", "http://host:8080", "pulsar://", "", "host:6650"])
def test_what_is_no_broker_is_refused(option: str) -> None:
    with pytest.raises(BrokerError, match=r"--broker") as caught:
        broker_settings(option)

    assert "pulsar://HOST:PORT" in caught.value.hint


def test_a_token_for_a_broker_of_our_own_is_refused() -> None:
    with pytest.raises(BrokerError, match="token is for an external broker"):
        broker_settings("embedded", token="t")


def test_an_option_may_be_for_one_family_of_brokers() -> None:
    options = ("container", "rabbitmq=amqp://user:p%40ss@host:5000/space", "pulsar=pulsar://h:1")

    assert broker_settings(*options, family="artemis").way == "container"
    assert broker_settings(*options, token="t").service_url == "pulsar://h:1"
    rabbit = broker_settings(*options, family="rabbitmq")
    assert (rabbit.way, rabbit.service_url, rabbit.admin_url) == (
        "external",
        "amqp://host:5000/space",
        "",
    )
    assert (rabbit.user_name, rabbit.password) == ("user", "p@ss")
    assert "p@ss" not in repr(rabbit)


def test_a_url_of_another_family_is_refused_without_its_password() -> None:
    with pytest.raises(BrokerError, match=r"amqp://user:\*\*\*@host.*of the family pulsar"):
        broker_settings("amqp://user:secret@host:5000")


@pytest.mark.parametrize(
    ("url", "family", "whole"),
    [
        ("pulsar://h", "pulsar", "pulsar://h:6650"),
        ("pulsar+ssl://h:1,g", "pulsar", "pulsar+ssl://h:1,g:6651"),
        ("amqps://u:p@[::1]/v", "rabbitmq", "amqps://[::1]:5671/v"),
        ("amqp://h:7", "activemq", "amqp://h:7"),
    ],
)
def test_a_url_without_a_port_means_the_familys_own(url: str, family: str, whole: str) -> None:
    assert broker_settings(url, family=family).service_url == whole


def test_an_unknown_family_is_refused_with_those_there_are() -> None:
    with pytest.raises(BrokerError, match="family 'kafka'") as caught:
        broker_settings("embedded", family="kafka")

    assert "activemq, artemis, brokerj, openmq, pulsar, rabbitmq" in caught.value.hint
