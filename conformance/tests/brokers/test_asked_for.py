"""What a run says of its broker and its Java before any broker has begun."""

from __future__ import annotations

import pytest

from jms_brokers.shared.settings import BrokerSettings
from jvm_runtime.jre import find_jre
from touchstone.brokers.asked_for import broker_asked_for, java_used


@pytest.mark.parametrize(
    ("settings", "version"),
    [
        (BrokerSettings(family="pulsar"), "4.0.7"),
        (BrokerSettings(family="pulsar", version="4.2.4"), "4.2.4"),
        (BrokerSettings(family="pulsar", way="container"), None),
        (BrokerSettings(family="rabbitmq"), None),
        (BrokerSettings(family="no such family"), None),
    ],
)
def test_the_version_is_known_where_its_jars_are_locked(
    settings: BrokerSettings, version: str | None
) -> None:
    told = broker_asked_for(settings)

    assert told == {"family": settings.family, "way": settings.way, "version": version}


@pytest.mark.parametrize(
    ("settings", "clients", "told"),
    [
        (BrokerSettings(family="pulsar"), [""], ["broker's"]),
        (BrokerSettings(family="pulsar"), ["17.0.9"], ["17.0.9", "broker's"]),
        (BrokerSettings(family="pulsar", way="container"), [""], []),
        (BrokerSettings(family="pulsar", way="container"), ["17.0.9", "17.0.9"], ["17.0.9"]),
        (BrokerSettings(family="rabbitmq"), [], []),
        (BrokerSettings(family="rabbitmq"), ["21.0.8"], ["21.0.8"]),
    ],
)
def test_java_is_told_where_the_client_or_the_broker_runs_on_it(
    settings: BrokerSettings, clients: list[str], told: list[str]
) -> None:
    of_broker = find_jre().version

    assert java_used(settings, clients) == ", ".join(
        of_broker if each == "broker's" else each for each in told
    )


def test_without_a_java_none_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_JAVA", "/no/such/java")

    assert java_used(BrokerSettings(family="pulsar"), [""]) == ""
