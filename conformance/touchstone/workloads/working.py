"""One producer or consumer at work, by any client."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from jms_clients.interface import Client
from jms_histories.history.recorder import Recorder
from jms_histories.values import NONE
from touchstone.workloads.consuming import WorkloadConsumer
from touchstone.workloads.control import Control
from touchstone.workloads.model import Acknowledgement
from touchstone.workloads.producing import produce
from touchstone.workloads.recording import Record, SessionRecording, Silent
from touchstone.workloads.tasks import Producing, ReceivingTask


def work(
    task: Producing | ReceivingTask, client: Client, folder: Path, run: str, control: Control
) -> None:
    """Work off a task until it is done, or until STOP.

    Its record goes to `folder`; without the name of a `run` nothing is recorded.
    """
    if not run:
        _work(task, client, SessionRecording(cast(Record, Silent()), _sub(task)), control)
        return
    with Recorder(folder, run) as recorder:
        session = recorder.session(task.session, transacted=is_transacted(task))
        _work(task, client, SessionRecording(session, _sub(task)), control)


def is_transacted(task: Producing | ReceivingTask) -> bool:
    """Whether all that its session does belongs to transactions."""
    if isinstance(task, Producing):
        return task.transaction > 0
    return task.acknowledgement == Acknowledgement.TRANSACTED.name


def _sub(task: Producing | ReceivingTask) -> int:
    return NONE if isinstance(task, Producing) else task.sub


def _work(
    task: Producing | ReceivingTask, client: Client, recording: SessionRecording, control: Control
) -> None:
    if isinstance(task, Producing):
        produce(task, client, recording, control)
    else:
        WorkloadConsumer(task, client, recording, control).work()
