"""Recording: what was recorded survives the death of its process, and a disk that fails is said."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue

import numpy as np
import pytest

from histories.recordings import RUN, SESSION, carried, deliver, left_open
from jms_histories.errors import HistoryError
from jms_histories.history import log, recorder, seal
from jms_histories.history.log import DELIVERIES, EVENTS, KINDS, SENDS, LogKind, path_of, read_log
from jms_histories.history.reader import open_history
from jms_histories.history.recorder import Recorder, SessionRecorder
from jms_histories.history.recording import FOLDER, HistoryDescription, SubscriptionEntry, this_boot
from jms_histories.values import Event, SendFate, Settle, SettlementOutcome

HERE = bytes.fromhex(this_boot())


@pytest.fixture(autouse=True)
def small_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "PER_SEGMENT", 512)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[SessionRecorder]:
    """One that nobody has closed."""
    with left_open(tmp_path / FOLDER) as session_recorder:
        yield session_recorder


def read(folder: Path, kind: LogKind, finished_on: bytes = HERE) -> tuple[int, bool]:
    recorded = read_log(folder, SESSION, kind, RUN, finished_on)
    return len(recorded.records), recorded.cut


RECORDS_UNTIL_KILLED = """
import sys
from pathlib import Path
from jms_histories.history.description import Description, encode
from jms_histories.history.recorder import Recorder
session = Recorder(Path(sys.argv[1]), "run-1").session(1)
for number in range(10_000_000):
    data = encode(Description(1 << 40 | number, 3, -1, -1, 4, 2, -1, -1, number, 1, 2))
    session.sent_invoked(data)
    session.delivered(data, 5, 0, number, number, False, 1, 1, 2)
    session.event(0, number)
    if number % 1000 == 999:
        print(number + 1, flush=True)
"""


def test_a_killed_process_loses_nothing_that_it_had_recorded(tmp_path: Path) -> None:
    folder = tmp_path / FOLDER
    with subprocess.Popen(
        [sys.executable, "-c", RECORDS_UNTIL_KILLED, str(folder)], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        told = [int(child.stdout.readline()) for _ in range(40)][-1]
        child.kill()
        told = [told, *map(int, child.stdout.read().split("\n")[:-1])][-1]
        assert child.wait() == -9
    for kind in KINDS:
        recorded = read_log(folder, 1, kind, RUN, HERE)
        assert not recorded.cut
        assert told <= len(recorded.records) <= told + 1000
        if kind is not EVENTS:
            uids = np.asarray(recorded.records["raw"]["uid"])
            assert np.array_equal(uids, (1 << 40) + np.arange(len(uids)))


def test_a_killed_session_is_sealed_as_far_as_it_came(tmp_path: Path) -> None:
    """A send that was under way may have arrived; a commit that was under way may be one."""
    folder = tmp_path / FOLDER
    code = """
import os, sys
from pathlib import Path
from jms_histories.history.description import Description, encode
from jms_histories.history.recorder import Recorder
from jms_histories.values import SettlementOutcome, Settle
recorder = Recorder(Path(sys.argv[1]), "run-1")
describe = lambda n: encode(Description(1 << 40 | n, 3, -1, -1, 4, 2, -1, -1, n, 1, 2))
plain, transacted = recorder.session(1), recorder.session(2, transacted=True)
plain.sent_ok(plain.sent_invoked(describe(10)), 11)
plain.sent_invoked(describe(12))
for ridx, settle in enumerate((Settle.ACK, Settle.NACK)):
    plain.delivered(describe(10), 5, 0, 20, -1, False, 1, 1, 2)
    plain.settling(ridx, settle, 21)
plain.settled(0, SettlementOutcome.OK, 22)
transacted.delivered(describe(10), 6, 0, 30, 30, False, 1, 1, 2)
transacted.committing(31)
transacted.delivered(describe(12), 6, 0, 32, 32, False, 1, 1, 2)
os.kill(os.getpid(), 9)
"""
    assert subprocess.run([sys.executable, "-c", code, str(folder)], check=False).returncode == -9
    HistoryDescription(
        RUN,
        0,
        0,
        (),
        {1: "here", 2: "here"},
        subscriptions=(SubscriptionEntry(0, 3, 1, 2, 50, 51),),
        finished_on=this_boot(),
    ).write(folder)
    manifest = seal.seal(tmp_path)
    opened = open_history(tmp_path / "history")
    assert not manifest.truncated
    assert opened.spec.subscriptions["t_drained"].tolist() == [50]
    sent = opened.all_sends()
    assert (sent["fate"].tolist(), sent["t_ok"].tolist()) == (
        [SendFate.MUST, SendFate.MAYBE],
        [11, -1],
    )
    rows = opened.all_deliveries(("t_exit", "settle", "s_out", "s_inv", "s_ok"))
    assert list(zip(*(values.tolist() for values in rows.values()), strict=True)) == [
        (20, Settle.ACK, SettlementOutcome.OK, 21, 22),
        (20, Settle.NACK, SettlementOutcome.INFO, 21, -1),
        (30, Settle.ACK, SettlementOutcome.INFO, 31, -1),
        (32, Settle.NONE, SettlementOutcome.NONE, -1, -1),
    ]


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("records", [0, 1, 510, 511, 512, 1500])
def test_records_are_read_while_the_file_is_open_and_when_it_is_closed(
    records: int, closed: bool, session: SessionRecorder, tmp_path: Path
) -> None:
    deliver(session, records)
    if closed:
        session.close()
    assert read(tmp_path / FOLDER, DELIVERIES) == (records, False)
    assert read(tmp_path / FOLDER, SENDS) == (0, False)
    size = path_of(tmp_path / FOLDER, SESSION, DELIVERIES).stat().st_size
    assert size == 144 * (records + 1 if closed else -(-(records + 1) // 512) * 512)


def write_at(path: Path, at: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(data)


@pytest.mark.parametrize(
    ("torn", "left", "cut"), [(599, 599, False), (598, 598, True), (0, 0, True)]
)
def test_a_torn_record_is_none_and_one_amid_others_means_a_loss(
    torn: int, left: int, cut: bool, session: SessionRecorder, tmp_path: Path
) -> None:
    deliver(session, 600)
    path = path_of(tmp_path / FOLDER, SESSION, DELIVERIES)
    write_at(path, 144 * (torn + 2) - 1, b"\0")
    assert read(tmp_path / FOLDER, DELIVERIES) == (left, cut)


def test_after_another_start_of_the_host_an_open_file_may_lack_its_end(
    session: SessionRecorder, tmp_path: Path
) -> None:
    deliver(session, 3)
    assert read(tmp_path / FOLDER, DELIVERIES, bytes(16)) == (3, True)
    session.close()
    assert read(tmp_path / FOLDER, DELIVERIES, bytes(16)) == (3, False)


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize(("size", "left"), [(0, 0), (100, 0), (144, 0), (1440, 9), (1500, 9)])
def test_a_shortened_file_shows_it(
    size: int, left: int, closed: bool, session: SessionRecorder, tmp_path: Path
) -> None:
    deliver(session, 20)
    if closed:
        session.close()
    copy = tmp_path / "copy"
    shutil.copytree(tmp_path / FOLDER, copy)
    os.truncate(path_of(copy, SESSION, DELIVERIES), size)
    assert read(copy, DELIVERIES) == (left, True)


def test_a_file_without_header_or_no_file_is_cut_before_its_first_record(
    session: SessionRecorder, tmp_path: Path
) -> None:
    deliver(session, 5)
    path = path_of(tmp_path / FOLDER, SESSION, DELIVERIES)
    write_at(path, 0, bytes(144))
    assert read(tmp_path / FOLDER, DELIVERIES) == (0, True)
    assert read(tmp_path, DELIVERIES) == (0, True)
    write_at(path, 0, b"PAR1")
    with pytest.raises(HistoryError, match="is not the record of the deliveries of session 1"):
        read(tmp_path / FOLDER, DELIVERIES)


def test_a_full_disk_is_an_error_before_anything_is_written(
    session: SessionRecorder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(file: int, offset: int, length: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    deliver(session, 511)
    with monkeypatch.context() as patch:
        patch.setattr(os, "posix_fallocate", no_room)
        with pytest.raises(HistoryError, match="cannot grow: No space left on device"):
            deliver(session, 1)
    assert read(tmp_path / FOLDER, DELIVERIES) == (511, False)
    deliver(session, 1)
    assert read(tmp_path / FOLDER, DELIVERIES) == (512, False)


def test_a_disk_that_does_not_take_the_records_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = threading.Event()

    def broken(file: int) -> None:
        tried.set()
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(recorder, "FLUSH_SECONDS", 0.01)
    monkeypatch.setattr(os, "fdatasync", broken)
    of_process = Recorder(tmp_path, RUN)
    deliver(of_process.session(SESSION), 1)
    assert tried.wait(60)
    with pytest.raises(HistoryError, match="the disk did not take what was recorded"):
        of_process.close()


def test_the_disk_gets_what_was_recorded_while_the_session_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: list[int] = []
    enough = threading.Event()
    really = os.fdatasync

    def flush(file: int) -> None:
        really(file)
        flushed.append(file)
        if len(flushed) > 3 * len(KINDS):
            enough.set()

    monkeypatch.setattr(recorder, "FLUSH_SECONDS", 0.01)
    monkeypatch.setattr(os, "fdatasync", flush)
    with Recorder(tmp_path, RUN) as of_process:
        deliver(of_process.session(SESSION), 1)
        of_process.session(2).close()
        assert enough.wait(60)
    assert len(set(flushed)) >= len(KINDS)


def test_sends_may_be_completed_by_another_thread(session: SessionRecorder, tmp_path: Path) -> None:
    """While the session goes on sending, through segments that are no longer mapped."""
    count = 12 * 512
    ready: SimpleQueue[int] = SimpleQueue()

    def complete() -> None:
        for number in range(count):
            session.sent_ok(ready.get(timeout=60), 5 + number, number)

    thread = threading.Thread(target=complete)
    thread.start()
    for number in range(count):
        ready.put(session.sent_invoked(carried(number)))
    thread.join()
    assert mapped(path_of(tmp_path / FOLDER, SESSION, SENDS)) <= 9 * 512 * SENDS.record.size
    records = read_log(tmp_path / FOLDER, SESSION, SENDS, RUN, HERE).records
    assert np.array_equal(records["mid64"], np.arange(count))
    assert np.array_equal(records["t_ok"], 5 + np.arange(count))
    assert not records["outcome"].any()


def mapped(path: Path) -> int:
    """Bytes of a file that this process has mapped."""
    lines = [line.split() for line in Path("/proc/self/maps").read_text().splitlines()]
    bounds = [line[0].split("-") for line in lines if line[-1] == str(path)]
    return sum(int(end, 16) - int(start, 16) for start, end in bounds)


def test_a_session_left_behind_harms_nothing_after_its_record_is_closed(
    session: SessionRecorder, tmp_path: Path
) -> None:
    """Late completions are forgotten; a late delivery is refused, not written behind the end."""
    deliver(session, 9 * 512)
    sends = [session.sent_invoked(carried(number)) for number in range(9 * 512)]
    session.close()
    files = {path: path.read_bytes() for path in (tmp_path / FOLDER).iterdir()}
    for number in (sends[0], sends[-1]):
        session.sent_ok(number, 5, 6)
        session.exited(number, 7)
    for _ in range(2):
        with pytest.raises(HistoryError, match="is closed, and something was to be recorded"):
            deliver(session, 1)
        with pytest.raises(HistoryError, match="is closed, and something was to be recorded"):
            session.event(Event.CLOSE, 5)
    assert {path: path.read_bytes() for path in (tmp_path / FOLDER).iterdir()} == files
