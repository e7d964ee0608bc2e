"""One producer or consumer as a process: reads its task and orders as lines, tells as lines.

The first line of the input is the job as JSON, every further one an order. What it tells: `ready`,
`count N` now and then, `done`, or `failed TEXT` as JSON. Logs go to the standard error.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path
from typing import TextIO

from jms_brokers.brokers.interface import BrokerAddress
from jms_clients.registry import load_provider
from touchstone.workloads.control import Control, Order
from touchstone.workloads.tasks import from_data
from touchstone.workloads.working import work

_BETWEEN_COUNTS = 0.2


def main() -> None:
    """Work off one task; the input's end is a STOP."""
    told = sys.stdout
    sys.stdout = sys.stderr  # what a client prints is no message of ours
    job = json.loads(sys.stdin.readline())
    lock = threading.Lock()

    def tell(text: str) -> None:
        with lock:
            told.write(text + "\n")
            told.flush()

    control = Control(tell)
    threading.Thread(target=_hear, args=(sys.stdin, control), daemon=True).start()
    ended = threading.Event()
    counting = threading.Thread(target=_count, args=(control, tell, ended), daemon=True)
    counting.start()
    try:
        with load_provider(job["provider"]).open(BrokerAddress.from_dict(job["broker"])) as client:
            work(from_data(job["task"]), client, Path(job["folder"]), job["run"], control)
            ended.set()
            counting.join()
            tell(f"count {control.counted}")
            tell("done")
    except BaseException as error:
        tell("failed " + json.dumps(f"{type(error).__name__}: {error}"))
        raise
    finally:
        sys.stderr.flush()
    os._exit(0)  # threads of a client must not keep the process


def _hear(orders: TextIO, control: Control) -> None:
    for line in orders:
        control.take(Order(line.strip()))
    control.take(Order.STOP)


def _count(control: Control, tell: object, ended: threading.Event) -> None:
    assert callable(tell)
    before = -1
    while not ended.wait(_BETWEEN_COUNTS):
        if control.counted != before:
            before = control.counted
            tell(f"count {before}")


if __name__ == "__main__":
    main()
