"""Presets: settings by neutral names."""

from dataclasses import dataclass, field

import pytest

from jms_brokers.brokers.interface import BrokerAddress
from jms_clients.errors import ProviderError
from jms_clients.presets import PRESETS, overlaid, preset, setting_of, setting_text
from jms_clients.qpid import connection_url
from jms_clients.registry import load_provider
from touchstone.scenario.run_settings import AS_IT_IS, RunSettings, added_by


@dataclass
class Bringing:
    presets: dict[str, dict[str, object]] = field(default_factory=dict)


def test_presets_are_laid_over_each_other() -> None:
    provider = Bringing(
        {
            "fair-shares": {"consumerConfig": {"ahead": 1}, "kept": "x"},
            "quick-redelivery": {"consumerConfig": {"delay": 0}},
        }
    )
    assert preset(provider, "fair-shares", "quick-redelivery") == {
        "consumerConfig": {"ahead": 1, "delay": 0},
        "kept": "x",
    }


def test_the_later_setting_wins_and_nothing_given_is_changed() -> None:
    below = {"a": {"x": 1, "y": 1}, "b": 1}
    assert overlaid(below, {"a": {"x": 2}, "b": {"z": 3}}) == {"a": {"x": 2, "y": 1}, "b": {"z": 3}}
    assert below == {"a": {"x": 1, "y": 1}, "b": 1}


@pytest.mark.parametrize("provider", [object(), Bringing(), Bringing({"transactions": {"a": 1}})])
def test_preset_that_a_provider_does_not_bring_is_empty(provider: object) -> None:
    assert preset(provider, "priorities") == {}


@pytest.mark.parametrize("provider", [object(), Bringing({"quik": {}})])
def test_unknown_preset_is_refused(provider: object) -> None:
    with pytest.raises(ProviderError, match="no preset 'quik'"):
        preset(provider, "quik" if not isinstance(provider, Bringing) else "transactions")


def test_a_wrong_client_has_the_presets_of_the_reference() -> None:
    wrong = load_provider("reference+mutant:redelivered-false")
    for name in PRESETS:
        assert preset(wrong, name) == preset(load_provider("reference"), name)
    assert preset(wrong, *PRESETS) != {}


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("jms.strictCompliance=true", "jms.strictCompliance", True),
        ("window=0", "window", 0),
        ("name=a=b", "name", "a=b"),
        ("empty=", "empty", ""),
        ('consumerConfig={"receiverQueueSize": 1}', "consumerConfig", {"receiverQueueSize": 1}),
    ],
)
def test_a_setting_is_written_by_its_name(text: str, name: str, value: object) -> None:
    assert setting_of(text) == (name, value)
    assert setting_text(name, value) == text


@pytest.mark.parametrize("text", ["", "name", "=value"])
def test_what_is_no_setting_is_refused(text: str) -> None:
    with pytest.raises(ProviderError, match="is no setting"):
        setting_of(text)


@pytest.mark.parametrize("name", ["artemis", "qpid", "qpid+on:rabbitmq"])
def test_what_a_client_is_given_besides_can_be_left_out(name: str) -> None:
    provider = load_provider(name)
    assert added_by(provider)
    shipped = RunSettings.of(provider, as_shipped=True, given={})
    assert shipped.added(provider) == {}
    assert shipped.around({}) == dict.fromkeys(added_by(provider))
    assert AS_IT_IS.added(provider) == added_by(provider)
    assert AS_IT_IS.around({"a": 1}) == {"a": 1}


def test_the_urls_of_a_client_as_shipped_have_the_login_alone() -> None:
    broker = BrokerAddress(
        "amqp://127.0.0.1:1",
        "",
        "plain",
        "external",
        "3.10.8",
        "rabbitmq",
        user_name="me",
        password="mine",
    )
    left_out = RunSettings.of(load_provider("qpid+on:rabbitmq"), as_shipped=True, given={})
    url = connection_url(broker, left_out.around({}))
    assert url == "amqp://127.0.0.1:1?jms.username=me&jms.password=mine"


def test_what_a_run_gives_wins_over_presets_and_these_over_what_is_left_out() -> None:
    settings = RunSettings(frozenset({"wait"}), {"window": 0})
    assert settings.around({"wait": 1, "window": 1, "own": 1}) == {
        "wait": 1,
        "window": 0,
        "own": 1,
    }
