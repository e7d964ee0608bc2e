"""Recordings made by hand: what messages say of themselves, and what the coordinator knows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from jms_histories.history.description import Description, encode
from jms_histories.history.recorder import SessionRecorder
from jms_histories.history.recording import HistoryDescription, this_boot

RUN = "run-1"
SESSION = 1


def describe(uid: int, priority: int = 4, deliver_at: int = -1, t_sent: int = 0) -> Description:
    """What a message says of itself."""
    return Description(uid, 3, -1, -1, priority, 2, deliver_at, -1, t_sent, 1, 2)


def carried(uid: int, t_sent: int = 0) -> bytes:
    """The same as the message carries it."""
    return encode(describe(uid, t_sent=t_sent))


def recording(sessions: dict[int, str], **others: object) -> HistoryDescription:
    """What is known of sessions on hosts, with what is otherwise."""
    return HistoryDescription(
        **{
            "run": RUN,
            "epsilon": 1,
            "priority_slack": 2,
            "checks": ("D01",),
            "sessions": sessions,
            "finished_on": this_boot(),
            **others,
        }  # type: ignore[arg-type]
    )


def deliver(session: SessionRecorder, times: int) -> None:
    """Record the same delivery so many times."""
    for _ in range(times):
        session.delivered(carried(9 << 40), 5, 0, 10, 10, False, 1, 1, 2)


@contextmanager
def left_open(folder: Path) -> Iterator[SessionRecorder]:
    """The recorder of a transacted session in a new folder."""
    folder.mkdir()
    recorder = SessionRecorder(folder, SESSION, RUN, transacted=True)
    yield recorder
    recorder.close()
