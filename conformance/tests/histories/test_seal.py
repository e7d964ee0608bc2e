"""Sealing: what sessions recorded becomes the rows that a plain account of it gives."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from histories.history_samples import columns
from histories.recordings import RUN, describe, recording
from histories.slow_fold import SlowSession
from jms_histories.columns import Columns
from jms_histories.errors import HistoryError
from jms_histories.history import log, seal
from jms_histories.history.description import encode
from jms_histories.history.manifest import ConsumerPlace
from jms_histories.history.reader import open_history
from jms_histories.history.recorder import Recorder
from jms_histories.history.recording import FOLDER, Moment, SubscriptionEntry, read_recording
from jms_histories.values import Event, FaultKind, Settle, SettlementOutcome

OUTCOMES = st.sampled_from((SettlementOutcome.OK, SettlementOutcome.FAIL, SettlementOutcome.INFO))
DIGESTS = st.integers(1, 2)

SENDS = st.tuples(
    st.just("send"),
    st.integers(0, 1),
    st.integers(0, 9),
    st.sampled_from((-1, 50)),
    OUTCOMES,
    st.tuples(st.integers(-1, 3), st.integers(-1, 3), st.integers(-1, 3)),
)
DELIVERIES = st.tuples(
    st.just("deliver"),
    st.one_of(st.none(), st.integers(0, 20)),
    st.sampled_from(("", "", "", "lost", "bits")),
    st.booleans(),
    st.sampled_from((Settle.NONE, Settle.NONE, Settle.ACK, Settle.LAZY)),
    st.integers(-2, 1),
    st.booleans(),
    st.sampled_from((-1, 0, 1, 2, 32767)),
    DIGESTS,
    DIGESTS,
)
OPERATIONS = st.one_of(
    SENDS,
    DELIVERIES,
    DELIVERIES,
    st.tuples(st.just("exit"), st.integers(0, 20)),
    st.tuples(
        st.just("settle"),
        st.integers(0, 20),
        st.sampled_from((Settle.ACK, Settle.NACK, Settle.LAZY)),
        OUTCOMES,
    ),
    st.tuples(st.sampled_from(("finish all", "finish all", "again all")), OUTCOMES),
    st.tuples(
        st.just("event"),
        st.sampled_from((Event.START, Event.STOP, Event.CLOSE, Event.CONSUMER_OPEN)),
        st.integers(-1, 3),
    ),
)


@pytest.fixture(autouse=True, scope="module")
def small_segments() -> Iterator[None]:
    """Files that grow by 512 records and wait for no disk; seal works in pieces of five."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(log, "PER_SEGMENT", 512)
        patch.setattr(os, "fsync", lambda file: None)
        patch.setattr(seal, "PIECE", 5)
        patch.setattr(seal, "FILE_ROWS", 8)
        yield


def perform(session: SlowSession, operations: list[tuple[object, ...]]) -> None:
    """Do all that was drawn; a session has two producers of its own."""
    sequences = [0, 0]
    for name, *drawn in operations:
        match name, *drawn:
            case "send", int(which), int(priority), int(
                deliver_at
            ), SettlementOutcome() as outcome, tuple(numbers):
                producer = session.session * 2 + 1 + which
                described = describe(producer << 40 | sequences[which], priority, deliver_at)
                sequences[which] += 1
                session.send(described, outcome, *numbers)
            case "deliver", sequence, *others:
                sent = describe(5 << 40 | sequence) if isinstance(sequence, int) else None
                session.deliver(sent, *others)  # type: ignore[arg-type]
            case "exit", int(which):
                session.exit(which)
            case "settle", int(which), Settle() as settle, SettlementOutcome() as outcome:
                session.settle(which, settle, outcome)
            case "event", Event() as event, int(arg):
                session.event(event, arg)
            case "finish all", SettlementOutcome() as outcome:
                session.settle_all("commit" if session.transacted else "acknowledge", outcome)
            case "again all", SettlementOutcome() as outcome:
                session.settle_all("rollback" if session.transacted else "recover", outcome)
            case _:
                raise AssertionError(name)


def same(actual: Columns, expected: Columns) -> None:
    assert list(actual) == list(expected)
    for name, values in expected.items():
        assert actual[name].dtype == values.dtype
        assert actual[name].tolist() == values.tolist(), name


ONE = ("deliver", 0, "", False, Settle.NONE, 0, False, 1, 1, 2)
ONE_SENT = ("send", 0, 4, -1, SettlementOutcome.OK, (1, 2, 3))


def one_session(*operations: tuple[object, ...], transacted: bool = False) -> Any:
    return [(transacted, list(operations))]


@settings(max_examples=60, deadline=None)
@example(
    drawn=one_session(
        ONE, ("finish all", SettlementOutcome.OK), ("settle", 0, Settle.NACK, SettlementOutcome.OK)
    )
)
@example(
    drawn=one_session(
        ONE, ("settle", 0, Settle.NACK, SettlementOutcome.OK), ("finish all", SettlementOutcome.OK)
    )
)
@example(
    drawn=one_session(
        ONE,
        ("settle", 0, Settle.ACK, SettlementOutcome.FAIL),
        ("finish all", SettlementOutcome.INFO),
    )
)
@example(
    drawn=one_session(
        ONE,
        ("finish all", SettlementOutcome.INFO),
        ("settle", 0, Settle.ACK, SettlementOutcome.FAIL),
    )
)
@example(
    drawn=one_session(
        ONE, ("finish all", SettlementOutcome.FAIL), ONE, ("again all", SettlementOutcome.OK), ONE
    )
)
@example(
    drawn=one_session(
        ONE, ("finish all", SettlementOutcome.FAIL), ONE, ("again all", SettlementOutcome.INFO), ONE
    )
)
@example(
    drawn=one_session(
        *(ONE, ONE_SENT, ("finish all", SettlementOutcome.FAIL)),
        *(ONE, ONE_SENT, ("finish all", SettlementOutcome.INFO)),
        *(ONE, ONE_SENT, ("again all", SettlementOutcome.FAIL)),
        *(ONE, ONE_SENT, ("finish all", SettlementOutcome.OK)),
        *(ONE, ONE_SENT, ("again all", SettlementOutcome.OK)),
        *(ONE, ONE_SENT),
        transacted=True,
    )
)
@example(
    drawn=one_session(
        ONE, ("finish all", SettlementOutcome.INFO), ("again all", SettlementOutcome.OK)
    )
)
@example(
    drawn=one_session(
        ONE, ("finish all", SettlementOutcome.INFO), ("again all", SettlementOutcome.INFO)
    )
)
@example(
    drawn=one_session(
        ONE,
        ("finish all", SettlementOutcome.INFO),
        ("settle", 0, Settle.NACK, SettlementOutcome.OK),
    )
)
@example(
    drawn=one_session(
        ONE, ("settle", 0, Settle.ACK, SettlementOutcome.INFO), ("again all", SettlementOutcome.OK)
    )
)
@example(
    drawn=one_session(
        ONE, ("again all", SettlementOutcome.OK), ("finish all", SettlementOutcome.INFO)
    )
)
@example(
    drawn=one_session(
        *(ONE, ("finish all", SettlementOutcome.INFO), ONE, ("finish all", SettlementOutcome.INFO)),
        *(
            ("settle", 0, Settle.ACK, SettlementOutcome.INFO),
            ONE,
            ("again all", SettlementOutcome.OK),
        ),
    )
)
@given(
    drawn=st.lists(
        st.tuples(st.booleans(), st.lists(OPERATIONS, max_size=14)), min_size=1, max_size=3
    )
)
def test_a_sealed_history_tells_what_a_plain_account_tells(
    drawn: list[tuple[bool, list[tuple[object, ...]]]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    run = tmp_path_factory.getbasetemp() / "sealed"
    shutil.rmtree(run, ignore_errors=True)
    sessions = []
    with Recorder(run / FOLDER, RUN) as recorder:
        for number, (transacted, operations) in enumerate(drawn):
            session = SlowSession(recorder.session(number, transacted=transacted), number * 1000)
            perform(session, operations)
            session.end()
            sessions.append(session)
    recording(dict.fromkeys(range(len(drawn)), "here")).write(run / FOLDER)
    manifest = seal.seal(run)
    opened = open_history(run / seal.HISTORY)
    assert not manifest.truncated

    delivered = [row for session in sessions for row in session.deliveries]
    same(opened.all_deliveries(), columns("delivery", [asdict(row) for row in delivered]))
    sent = [row for session in sessions for row in sorted(session.sends, key=lambda send: send.uid)]
    same(opened.all_sends(), columns("send", [asdict(row) for row in sent]))
    events = [event for session in sessions for event in session.events]
    names = ("session", "t", "event", "arg")
    same(
        opened.spec.events,
        columns("session", [dict(zip(names, event, strict=True)) for event in events]),
    )
    [transactions] = opened.manifest.of("tx")
    ended = {tx: outcome for session in sessions for tx, outcome in session.transactions.items()}
    assert transactions.rows == len(ended)


def test_transactions_are_kept_for_audit(tmp_path: Path) -> None:
    with Recorder(tmp_path / FOLDER, RUN) as recorder:
        session = recorder.session(3, transacted=True)
        first = session.tx
        session.ended(session.committing(5), SettlementOutcome.OK, 6)
        session.ended(session.rolling_back(7), SettlementOutcome.OK, 8)
        session.committing(9)
    recording({3: "here"}).write(tmp_path / FOLDER)
    seal.seal(tmp_path)
    rows = pq.read_table(tmp_path / "history/tx.parquet").to_pydict()
    assert rows == {
        "tx": [first, first + 1, first + 2],
        "session": [3, 3, 3],
        "t_inv": [5, 7, 9],
        "t_ok": [6, 8, -1],
        "outcome": [SettlementOutcome.OK, SettlementOutcome.FAIL, SettlementOutcome.INFO],
    }


def test_a_session_that_is_not_transacted_has_no_transactions_to_end(tmp_path: Path) -> None:
    with Recorder(tmp_path, RUN) as recorder:
        session = recorder.session(3)
        assert session.tx == -1
        with pytest.raises(HistoryError, match="session 3 is not recorded as transacted"):
            session.committing(5)


def test_what_the_coordinator_knows_goes_into_tables_and_manifest(tmp_path: Path) -> None:
    with Recorder(tmp_path / FOLDER, RUN) as recorder:
        recorder.session(1).event(Event.CLOSE, 9)
    known = recording(
        {1: "here"},
        producers={4: 1},
        consumers=(ConsumerPlace(7, 1, 0),),
        subscriptions=(
            SubscriptionEntry(
                0, 3, 1, 2, t_drained=20, exclusive=True, ordering=1, max_deliveries=5
            ),
        ),
        moments=(Moment(-1, 8, Event.FAULT_BEGIN, 2), Moment(1, 9, Event.KILLED)),
        names={"sub": {"0": "orders"}},
        settings={"provider": "reference"},
    )
    known.write(tmp_path / FOLDER)
    assert read_recording(tmp_path / FOLDER) == known
    manifest = seal.seal(tmp_path, compression="zstd")
    assert (manifest.run, manifest.epsilon, manifest.priority_slack) == (RUN, 1, 2)
    assert (manifest.consumers, manifest.checks) == (known.consumers, ("D01",))
    assert (manifest.names, manifest.settings) == (known.names, known.settings)
    spec = open_history(tmp_path / "history").spec
    assert {name: values.tolist() for name, values in spec.events.items()} == {
        "session": [-1, 1, 1],
        "t": [8, 9, 9],
        "event": [Event.FAULT_BEGIN, Event.CLOSE, Event.KILLED],
        "arg": [2, -1, -1],
    }
    [row] = zip(*(values.tolist() for values in spec.subscriptions.values()), strict=True)
    assert dict(zip(spec.subscriptions, row, strict=True)) == asdict(known.subscriptions[0])


def test_times_of_other_hosts_are_brought_onto_one_clock(tmp_path: Path) -> None:
    with Recorder(tmp_path / FOLDER, RUN) as recorder:
        sender, receiver = recorder.session(1), recorder.session(2)
        data = encode(describe(1 << 40, deliver_at=110)._replace(t_sent=100))
        sender.sent_ok(sender.sent_invoked(data), 105)
        receiver.delivered(data, 1, 0, 1300, 1301, False, 1, 1, 2, 1, 0, 1302, 1303)
        receiver.delivered(data, 1, 0, 1400, 1400, True, 2, 1, 2)
        receiver.event(Event.CLOSE, 1500)
    recording(
        {1: "near", 2: "far"}, producers={1: 1}, clock_offsets={"near": 5, "far": -1000}
    ).write(tmp_path / FOLDER)
    seal.seal(tmp_path)
    opened = open_history(tmp_path / "history")
    sent, delivered = opened.all_sends(), opened.all_deliveries()
    assert [sent[name].tolist() for name in ("t_inv", "t_ok", "deliver_at", "t_visible")] == [
        [105],
        [110],
        [115],
        [105],
    ]
    assert sent["expire_at"].tolist() == [-1]
    times = ("t_sent", "deliver_at", "expire_at", "t_enter", "t_exit", "s_inv", "s_ok")
    assert {name: delivered[name].tolist() for name in times} == {
        "t_sent": [105, 105],
        "deliver_at": [115, 115],
        "expire_at": [-1, -1],
        "t_enter": [300, 400],
        "t_exit": [301, 400],
        "s_inv": [302, -1],
        "s_ok": [303, -1],
    }
    assert opened.spec.events["t"].tolist() == [500]


def test_many_sends_of_several_producers_lie_in_order_in_files_of_whole_producers(
    tmp_path: Path,
) -> None:
    """More records than segments stay mapped, completed long after they were written."""
    count = 9 * log.PER_SEGMENT
    with Recorder(tmp_path / FOLDER, RUN) as recorder:
        session, other = recorder.session(1), recorder.session(2)
        uids = [(3 - i % 3) << 40 | i // 3 for i in range(count)]
        sends = [session.sent_invoked(encode(describe(uid))) for uid in uids]
        for send in sends:
            session.sent_ok(send, 10 + send, send)
        other.sent_invoked(encode(describe(9 << 40)))
    recording({1: "here", 2: "here"}).write(tmp_path / FOLDER)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(seal, "PIECE", 1000)
        seal.seal(tmp_path)
    opened = open_history(tmp_path / "history")
    rows = opened.all_sends(("uid", "t_ok", "mid64"))
    assert rows["uid"].tolist() == [*sorted(uids), 9 << 40]
    assert dict(zip(rows["uid"].tolist(), rows["mid64"].tolist(), strict=True)) == {
        **dict(zip(uids, sends, strict=True)),
        9 << 40: -1,
    }
    assert [part.rows for part in opened.parts("send")] == [count, 1]


def test_a_session_is_recorded_once(tmp_path: Path) -> None:
    with Recorder(tmp_path, RUN) as recorder:
        recorder.session(1)
        with pytest.raises(HistoryError, match="cannot be written: File exists"):
            recorder.session(1)


def test_a_run_that_did_not_finish_is_of_unknown_extent(tmp_path: Path) -> None:
    """Nothing counts as drained, and nobody knows the sends of producers that left no record."""
    with Recorder(tmp_path / FOLDER, RUN) as recorder:
        session = recorder.session(1)
        session.delivered(encode(describe(8 << 40)), 1, 0, 5, 5, False, 1, 1, 2)
        recorder.session(2)
    recording(
        {1: "here"}, subscriptions=(SubscriptionEntry(0, 3, 1, 2, 20, 21),), finished_on=""
    ).write(tmp_path / FOLDER)
    manifest = seal.seal(tmp_path)
    assert manifest.truncated == {8: 0}
    spec = open_history(tmp_path / "history").spec
    assert spec.subscriptions["t_drained"].tolist() == [-1]
    assert spec.subscriptions["t_dlq_drained"].tolist() == [-1]
    assert {name: values.tolist() for name, values in spec.events.items()} == {
        "session": [-1],
        "t": [0],
        "event": [Event.FAULT_BEGIN],
        "arg": [FaultKind.LOST_RECORD],
    }
