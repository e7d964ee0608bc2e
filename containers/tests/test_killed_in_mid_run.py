"""A broker in a container is killed and started again in mid-run: nothing it confirmed is lost."""

from __future__ import annotations

from pathlib import Path

from jms_histories.history.reader import open_history
from jms_histories.history.seal import HISTORY, seal
from jms_histories.values import Event
from touchstone.brokers.option import broker_settings
from touchstone.workloads.catalogue import workload
from touchstone.workloads.driving import WorkloadRequest, drive
from touchstone.workloads.verdict import judge_history

MESSAGES = 4_000


def test_no_acknowledged_message_is_lost_when_pulsar_is_killed_in_mid_run(tmp_path: Path) -> None:
    settings = broker_settings("container", family="pulsar")
    driven = drive(
        WorkloadRequest(workload("restart"), "reference", MESSAGES, 1, tmp_path, broker=settings)
    )
    assert driven.outcome.failure == ""
    seal(driven.folder)
    history = open_history(driven.folder / HISTORY)

    begun, ended = (
        int(history.spec.events["t"][history.spec.events["event"] == event][0])
        for event in (Event.FAULT_BEGIN, Event.FAULT_END)
    )
    sends = history.all_sends()
    confirmed = sends["t_ok"][sends["t_ok"] >= 0]
    assert (confirmed < begun).sum() > 100
    assert (confirmed > begun).sum() > 100
    # Clients may have everything again before the broker is seen to be ready, the fault's end.
    assert begun < ended
    assert (history.all_deliveries()["t_enter"] > begun).sum() > 100

    history_verdict = judge_history(driven.folder / HISTORY)
    assert history_verdict.power["D01"] >= len(confirmed) > MESSAGES / 2
    assert history_verdict.against("D01", "D02") == []
