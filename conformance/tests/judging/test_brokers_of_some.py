"""Brokers that a certain number of runs share: begun for the first, ended with the last."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from touchstone.brokers.broker_set import BrokerSet
from touchstone.brokers.option import broker_settings
from touchstone.judging import controller_brokers
from touchstone.judging.controller_brokers import BrokersOfSome


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> list[BrokerSet]:
    """The sets of brokers that have been closed."""
    found: list[BrokerSet] = []

    class Noted(BrokerSet):
        def close(self) -> None:
            found.append(self)
            super().close()

    monkeypatch.setattr(controller_brokers, "BrokerSet", Noted)
    return found


def test_they_are_there_until_the_last_run_has_ended(
    tmp_path: Path, ended: list[BrokerSet]
) -> None:
    brokers = BrokersOfSome(broker_settings("embedded"), tmp_path / "some", 3)
    assert not (tmp_path / "some").exists()
    with brokers.used_by_one() as first, brokers.used_by_one() as second:
        assert first == second
        assert json.loads((first / "brokers.json").read_text()).keys() == {"host", "port", "key"}
    assert ended == []
    with brokers.used_by_one():
        pass
    assert len(ended) == 1


def test_they_end_though_runs_are_left(tmp_path: Path, ended: list[BrokerSet]) -> None:
    brokers = BrokersOfSome(broker_settings("embedded"), tmp_path / "some", 3)
    with pytest.raises(KeyError), brokers.used_by_one():
        raise KeyError
    brokers.close()
    assert len(ended) == 1


def test_without_a_number_of_runs_they_stay_until_they_are_closed(
    tmp_path: Path, ended: list[BrokerSet]
) -> None:
    brokers = BrokersOfSome(broker_settings("embedded"), tmp_path / "some", None)
    for _ in range(3):
        with brokers.used_by_one():
            pass
    assert ended == []
    brokers.close()
    assert len(ended) == 1
