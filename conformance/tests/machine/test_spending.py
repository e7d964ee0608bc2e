"""What the seconds of a scenario are spent on."""

from __future__ import annotations

import contextvars
import threading

import pytest

from jms_brokers.errors import NotAsExpected
from jms_brokers.machine.polling import until
from jms_brokers.machine.spending import Purpose, account_spending, spent_on


def test_seconds_go_to_the_outermost_purpose() -> None:
    with account_spending() as spent:
        with spent_on(Purpose.BROKER), spent_on(Purpose.CONNECTING):
            pass
        assert spent.keys() == {Purpose.BROKER}
        with spent_on(Purpose.CLOSING):
            pass
        assert spent.keys() == {Purpose.BROKER, Purpose.CLOSING}


def test_they_are_counted_though_the_work_fails() -> None:
    with account_spending() as spent:
        with pytest.raises(NotAsExpected):
            until(lambda: False, within=0.01)
        assert spent[Purpose.CONDITION] >= 0.01
        with spent_on(Purpose.MESSAGE):
            pass
        assert spent.keys() == {Purpose.CONDITION, Purpose.MESSAGE}


def test_a_thread_that_takes_the_context_over_counts_and_another_does_not() -> None:
    def work() -> None:
        with spent_on(Purpose.CONTROL):
            pass

    with account_spending() as spent:
        alone = threading.Thread(target=work)
        alone.start()
        alone.join()
        assert not spent
        ours = threading.Thread(target=contextvars.copy_context().run, args=(work,))
        ours.start()
        ours.join()
        assert spent.keys() == {Purpose.CONTROL}


def test_nobody_counts_where_nobody_asked() -> None:
    with account_spending() as spent:
        pass
    with spent_on(Purpose.CONTROL):
        pass
    assert not spent
