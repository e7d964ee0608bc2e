"""Presets: settings by neutral names."""

from dataclasses import dataclass, field

import pytest

from jms_clients.errors import ProviderError
from jms_clients.presets import PRESETS, overlaid, preset
from jms_clients.registry import load_provider


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
