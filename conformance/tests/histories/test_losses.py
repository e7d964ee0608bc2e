"""Records that lose a part: what is not known is said, and nothing counts as drained for it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from histories.recordings import RUN, SESSION, carried, deliver, left_open
from jms_histories.history import recorder, seal
from jms_histories.history.log import DELIVERIES, EVENTS, KINDS, SENDS, LogKind, path_of
from jms_histories.history.manifest import ConsumerPlace
from jms_histories.history.reader import open_history
from jms_histories.history.recorder import Recorder, SessionRecorder
from jms_histories.history.recording import (
    FOLDER,
    HistoryDescription,
    SubscriptionEntry,
    read_recording,
    this_boot,
)
from jms_histories.values import Event, FaultKind, SendFate, Settle, SettlementOutcome


@pytest.fixture
def session(tmp_path: Path) -> Iterator[SessionRecorder]:
    """One that nobody has closed."""
    with left_open(tmp_path / FOLDER) as session_recorder:
        yield session_recorder


def finished(folder: Path) -> None:
    HistoryDescription(
        RUN,
        0,
        0,
        (),
        {1: "here"},
        producers={6: 1, 7: 1},
        consumers=(ConsumerPlace(5, 1, 2),),
        subscriptions=tuple(SubscriptionEntry(sub, 3, 1, 2, 50, 51) for sub in range(4)),
        finished_on=this_boot(),
    ).write(folder)


def test_of_a_cut_record_only_what_is_known_is_told(tmp_path: Path) -> None:
    """The producer's sends end at the cut, and no subscription counts as drained."""
    folder = tmp_path / FOLDER
    with Recorder(folder, RUN) as all_sessions:
        session = all_sessions.session(SESSION, transacted=True)
        for sequence in range(5):
            session.sent_ok(session.sent_invoked(carried(7 << 40 | sequence, 20)), 21)
        for sub in (0, -1 - 1):
            session.delivered(carried(7 << 40), 5, sub, 30, 30, False, 1, 1, 2)
        session.event(Event.START, 3)
        session.event(Event.CLOSE, 35)
        session.ended(session.committing(40), SettlementOutcome.OK, 41)
    for kind, records in ((SENDS, 3), (EVENTS, 1)):
        os.truncate(path_of(folder, SESSION, kind), kind.record.size * (records + 1))
    finished(folder)
    manifest = seal.seal(tmp_path)
    assert manifest.truncated == {6: 0, 7: 3}
    opened = open_history(tmp_path / "history")
    drained = opened.spec.subscriptions
    assert drained["t_drained"].tolist() == [-1] * 4
    assert drained["t_dlq_drained"].tolist() == [-1] * 4
    sent = opened.all_sends()
    assert sent["fate"].tolist() == [SendFate.MAYBE] * 3
    assert sent["t_visible"].tolist() == [20] * 3
    events = opened.spec.events
    assert list(zip(*(values.tolist() for values in events.values()), strict=True)) == [
        (-1, 3, Event.FAULT_BEGIN, FaultKind.LOST_RECORD),
        (1, 3, Event.START, -1),
        (1, 30, Event.KILLED, -1),
    ]
    assert opened.all_deliveries(("s_out",))["s_out"].tolist() == [SettlementOutcome.NONE] * 2


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_whatever_part_of_a_record_is_cut_nothing_counts_as_drained(
    kind: LogKind, tmp_path: Path
) -> None:
    folder = tmp_path / FOLDER
    with Recorder(folder, RUN) as all_sessions:
        session = all_sessions.session(SESSION)
        session.sent_invoked(carried(7 << 40, 20))
        deliver(session, 1)
        session.event(Event.START, 3)
    finished(folder)
    path = path_of(folder, SESSION, kind)
    os.truncate(path, kind.record.size)
    manifest = seal.seal(tmp_path)
    assert manifest.truncated == ({6: 0, 7: 0} if kind is SENDS else {})
    spec = open_history(tmp_path / "history").spec
    assert spec.subscriptions["t_drained"].tolist() == [-1] * 4
    assert spec.subscriptions["t_dlq_drained"].tolist() == [-1] * 4
    assert spec.events["event"].tolist()[-1] == Event.KILLED


@pytest.mark.parametrize(
    ("flushed", "calls", "lost"),
    [
        ((), [], 0),
        ((6, 7), [], 7),
        ((99,), [], 99),
        ((99,), [(Settle.NACK, 4, SettlementOutcome.OK)], 99),
        ((99,), [(Settle.NACK, 4, None)], 4),
        ((99,), [(None, 3, SettlementOutcome.OK)], 99),
        ((99,), [(None, 3, None), (Settle.ACK, 4, None)], 3),
        ((2,), [(None, 3, None)], 2),
    ],
)
def test_of_a_host_that_crashed_what_the_disk_had_not_taken_may_be_missing(
    flushed: tuple[int, ...],
    calls: list[tuple[Settle | None, int, SettlementOutcome | None]],
    lost: int,
    session: SessionRecorder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Even of records that are there, and from the first call on whose end is not known.

    If the file was damaged, besides, all that followed its last record may be.
    """
    deliver(session, 3)
    for settle, t, outcome in calls:
        told = SettlementOutcome.INFO if outcome is None else outcome
        if settle is None:
            session.ended(session.recovering(t), told, t)
        else:
            session.settling(0, settle, t)
            session.settled(0, told, t)
    session.event(Event.START, 20)
    for t in flushed:
        monkeypatch.setattr(recorder, "now", lambda t=t: t)
        session.flush()
    finished(tmp_path / FOLDER)
    after = replace(read_recording(tmp_path / FOLDER), finished_on="00" * 16)
    after.write(tmp_path / FOLDER)

    def loss_begins() -> list[int]:
        shutil.rmtree(tmp_path / "history", ignore_errors=True)
        seal.seal(tmp_path)
        events = open_history(tmp_path / "history").spec.events
        return list(events["t"][events["arg"] == FaultKind.LOST_RECORD])

    assert loss_begins() == [lost]
    path = path_of(tmp_path / FOLDER, SESSION, DELIVERIES)
    os.truncate(path, 3 * DELIVERIES.record.size)
    assert loss_begins() == [min(lost, 10)]


@pytest.mark.parametrize(
    ("left", "events"),
    [(1, ["START"]), (2, ["START"]), (3, ["START", "STOP", "START"]), (4, None), (5, None)],
)
def test_a_stop_counts_only_if_what_followed_is_known(
    left: int, events: list[str] | None, tmp_path: Path
) -> None:
    folder = tmp_path / FOLDER
    everything = [Event.START, Event.STOP, Event.START, Event.CONSUMER_OPEN, Event.STOP]
    with Recorder(folder, RUN) as all_sessions:
        session = all_sessions.session(SESSION)
        for t, event in enumerate(everything):
            session.event(event, t)
    finished(folder)
    if left < len(everything):
        os.truncate(path_of(folder, SESSION, EVENTS), EVENTS.record.size * (left + 1))
    seal.seal(tmp_path)
    events_read = open_history(tmp_path / "history").spec.events
    expected = [Event[name] for name in events] if events else everything[:left]
    seen = events_read["event"][events_read["session"] == SESSION].tolist()
    assert seen == [*expected, *([Event.KILLED] if left < len(everything) else [])]
