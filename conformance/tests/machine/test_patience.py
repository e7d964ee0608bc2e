"""A busy machine is given more time before anybody is accused; an idle one is not."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable

import pytest

from jms_brokers.machine import patience as patience_
from jms_brokers.machine.patience import patience, stretch
from jms_brokers.machine.polling import until
from touchstone.scenario.deadline import within
from touchstone.workloads.worker_pool import StallWatch, WorkloadFailed

Busy = Callable[[float], None]


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> Busy:
    """`busy(8)`: a machine on which everything takes eight times as long as alone."""

    def busy(slower: float) -> None:
        load = (slower * len(os.sched_getaffinity(0)), 0.0, 0.0)
        monkeypatch.setattr(os, "getloadavg", lambda: load)
        monkeypatch.setattr(patience_, "_slower_now", lambda: 1.0)

    return busy


@pytest.mark.parametrize(
    ("slower", "stretched"), [(0.0, 1.0), (2.0, 1.0), (8.0, 4.0), (30.0, 15.0), (800.0, 20.0)]
)
def test_time_limits_stretch_with_the_load(busy: Busy, slower: float, stretched: float) -> None:
    busy(slower)
    assert stretch() == stretched


def test_what_the_machine_gives_now_counts_too(busy: Busy, monkeypatch: pytest.MonkeyPatch) -> None:
    busy(0)
    monkeypatch.setattr(patience_, "_slower_now", lambda: 12.0)
    assert stretch() == 6.0


def test_processor_time_is_measured() -> None:
    assert patience_._slower_now() >= 1.0


def test_only_a_busy_machine_is_waited_for_longer(busy: Busy) -> None:
    busy(2)
    assert list(patience(10)) == [10]
    busy(6)
    assert list(patience(10)) == [10, 20]


def test_nothing_is_measured_where_things_go_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(patience_, "_slower_now")
    assert until(lambda: 7) == 7
    assert within(10, lambda: 7, "a call") == 7


class Late:
    """True from the second look on behind the time limit."""

    def __init__(self, limit: float) -> None:
        self.end = time.monotonic() + limit
        self.looks = 0

    def __call__(self) -> bool:
        self.looks += time.monotonic() > self.end
        return self.looks > 1


def test_a_condition_that_comes_late_on_a_busy_machine_holds(busy: Busy) -> None:
    busy(400)
    assert until(Late(0.05), 0.05)
    busy(1)
    with pytest.raises(AssertionError, match="not within"):
        until(lambda: False, 0.05)


def test_a_call_that_comes_back_late_on_a_busy_machine_is_no_hang(busy: Busy) -> None:
    busy(4_000)
    late = threading.Timer(0.2, (over := threading.Event()).set)
    late.start()
    assert within(0.1, over.wait, "a call")


def test_a_workload_that_stands_still_on_a_busy_machine_is_waited_for(
    busy: Busy, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy(4)
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    progress = StallWatch(20)
    progress.look("one", "them")
    now = 40.0
    progress.look("one", "them")
    now = 41.0
    with pytest.raises(WorkloadFailed, match="For 40 s nothing was heard of them"):
        progress.look("one", "them")
