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
    ("settings", "transport", "is_used"),
    [
        (BrokerSettings(family="pulsar"), "native", True),
        (BrokerSettings(family="pulsar", way="container"), "native", False),
        (BrokerSettings(family="pulsar", way="container"), "java", True),
        (BrokerSettings(family="rabbitmq"), "native", False),
        (BrokerSettings(family="rabbitmq"), "java", True),
    ],
)
def test_java_is_told_where_the_client_or_the_broker_runs_on_it(
    settings: BrokerSettings, transport: str, is_used: bool
) -> None:
    assert java_used(settings, [transport]) == (find_jre().version if is_used else "")


def test_without_a_java_none_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_JAVA", "/no/such/java")

    assert java_used(BrokerSettings(family="pulsar"), ["java"]) == ""
