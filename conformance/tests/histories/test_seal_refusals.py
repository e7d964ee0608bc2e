"""Sealing refuses what is not the record of one run, and says why."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from histories.recordings import RUN, describe, recording
from jms_histories.errors import HistoryError
from jms_histories.history import seal
from jms_histories.history.description import encode
from jms_histories.history.recorder import Recorder
from jms_histories.history.recording import FOLDER, NAME


def crowd(tmp_path: Path, **known: object) -> None:
    with Recorder(tmp_path / FOLDER, RUN) as recorder:
        for number in (1, 2):
            session = recorder.session(number)
            session.sent_invoked(encode(describe(number << 40)))
    recording({1: "here", 2: "here"}, **known).write(tmp_path / FOLDER)


def test_files_of_two_runs_are_refused(tmp_path: Path) -> None:
    crowd(tmp_path)
    with Recorder(tmp_path / "other", "run-2") as recorder:
        recorder.session(1)
    for path in (tmp_path / "other").iterdir():
        shutil.copy(path, tmp_path / FOLDER)
    with pytest.raises(HistoryError, match=r"0000001.sends.tsw belongs to another run than run-1"):
        seal.seal(tmp_path)
    assert not list(tmp_path.glob("history*"))


def test_records_of_unknown_sessions_are_refused(tmp_path: Path) -> None:
    crowd(tmp_path)
    with Recorder(tmp_path / FOLDER, RUN) as recorder:
        recorder.session(77)
    with pytest.raises(HistoryError, match=r"sessions that recording.json does not know: 77"):
        seal.seal(tmp_path)


def test_a_file_under_another_name_is_refused(tmp_path: Path) -> None:
    crowd(tmp_path)
    first, two = (tmp_path / FOLDER / f"000000{session}.events.tsw" for session in (1, 2))
    shutil.copy(first, two)
    with pytest.raises(HistoryError, match="is not the record of the events of session 2"):
        seal.seal(tmp_path)
    first.rename(tmp_path / FOLDER / "mine.events.tsw")
    with pytest.raises(HistoryError, match="is not named like the record of a session"):
        seal.seal(tmp_path)


def test_a_producer_belongs_to_one_session(tmp_path: Path) -> None:
    crowd(tmp_path, producers={1: 1, 2: 1})
    with pytest.raises(HistoryError, match="producer 2 is recorded by session 2, and belongs to 1"):
        seal.seal(tmp_path)


def test_a_message_sent_twice_is_refused(tmp_path: Path) -> None:
    with Recorder(tmp_path / FOLDER, RUN) as recorder:
        session = recorder.session(1)
        for sequence in (0, 3, 4, 3):
            session.sent_invoked(encode(describe(6 << 40 | sequence)))
    recording({1: "here"}).write(tmp_path / FOLDER)
    with pytest.raises(HistoryError, match=r"session 1 recorded send 3 of producer 6 .* twice"):
        seal.seal(tmp_path)


def test_sealing_twice_is_refused(tmp_path: Path) -> None:
    crowd(tmp_path)
    seal.seal(tmp_path)
    with pytest.raises(HistoryError, match="history is there already"):
        seal.seal(tmp_path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "cannot be read"),
        ("{", "is not the description of a recording: Expecting property name"),
        ("{}", "is not the description of a recording: it has format None; this"),
        ('{"format": 1}', "is not the description of a recording"),
        ('{"format": 2}', "has format 2; this version reads 1"),
    ],
)
def test_a_run_without_a_valid_description_is_refused(
    text: str | None, said: str, tmp_path: Path
) -> None:
    (tmp_path / FOLDER).mkdir()
    if text is not None:
        (tmp_path / FOLDER / NAME).write_text(text)
    with pytest.raises(HistoryError, match=said):
        seal.seal(tmp_path)
