"""Whose container is whose: none stays behind, however the process that started it ends.

Every container has labels that name its owner, a process on a machine. A *watcher*, one small
process to each owner, removes the owner's containers when the owner ends, also by SIGKILL. Where
the engine has died without its containers, it ends what runs in them. Where the watcher was killed
too, or the engine did not answer it, the next start of a container removes what has no owner any
more (`sweep`).
"""

from __future__ import annotations

import atexit
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Collection
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from jms_brokers.brokers import container_engine
from jms_brokers.errors import BrokerError
from jms_brokers.machine import process_table

if TYPE_CHECKING:
    from docker.client import DockerClient

OWNER = "touchstone.owner"
_TRIES = 10
_watching = threading.Lock()
_watcher: subprocess.Popen[bytes] | None = None


def owner_of(pid: int) -> str:
    """Return the name of a process that no other process has, here or elsewhere."""
    return "/".join((*_machine(), str(pid), str(process_table.began(pid))))


def is_gone(owner: str) -> bool:
    """Return whether the process `owner` has ended; False also where that cannot be seen from here.

    A machine that was started again has lost its processes. Those of another machine, or of another
    container on this one, are not ours to judge.
    """
    parts = owner.split("/")
    if len(parts) != 5:
        return False
    host, boot, space, pid, began = parts
    our_host, our_boot, our_space = _machine()
    if host != our_host:
        return False
    if boot != our_boot:
        return True
    return space == our_space and str(process_table.began(int(pid))) != began


@cache
def _machine() -> tuple[str, str, str]:
    """The machine's name, its boot, and its space of process numbers."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    space = Path("/proc/self/ns/pid").readlink().name.removeprefix("pid:").strip("[]")
    return socket.gethostname(), boot, space


def labels() -> dict[str, str]:
    """Return the labels of a container of this process, and start its watcher."""
    global _watcher
    owner = owner_of(os.getpid())
    with _watching:
        if _watcher is None or _watcher.poll() is not None:
            _watcher = subprocess.Popen(  # noqa: S603 - the command is ours
                [sys.executable, "-m", __name__, owner],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            atexit.register(_end_watcher, _watcher)
    return {OWNER: owner}


def report_made(container: str) -> None:
    """Report to the watcher a container that was made with our `labels`, by its id."""
    with _watching, suppress(BrokenPipeError):  # it was killed: the next sweep is for its work
        if _watcher is not None:
            assert _watcher.stdin is not None
            _watcher.stdin.write(f"{container}\n".encode())
            _watcher.stdin.flush()


def _end_watcher(watcher: subprocess.Popen[bytes]) -> None:
    """Let the watcher see to what is left, and wait for it: no process stays behind ours."""
    assert watcher.stdin is not None
    watcher.stdin.close()
    watcher.wait()


def sweep(engine: DockerClient) -> list[str]:
    """Remove the containers whose owner has ended; return their names. Inside `asking`."""
    containers = engine.containers.list(all=True, filters={"label": OWNER}, ignore_removed=True)
    return [_remove(each) for each in containers if is_gone(each.labels[OWNER])]


def remove_all_of(owner: str) -> list[str]:
    """Remove all containers of `owner` and return their names; raises BrokerError."""
    with container_engine.asking(f"remove the containers of {owner}"):
        engine = container_engine.client()
        try:
            containers = engine.containers.list(
                all=True, filters={"label": f"{OWNER}={owner}"}, ignore_removed=True
            )
            return [_remove(each) for each in containers]
        finally:
            engine.close()


def _remove(container: object) -> str:
    from docker.errors import APIError, NotFound
    from docker.models.containers import Container

    assert isinstance(container, Container)
    try:
        container.remove(force=True, v=True)
    except NotFound:
        pass  # somebody else removed it
    except APIError as error:
        if error.status_code != 409:  # somebody else is removing it
            raise
    return str(container.name)


def end_processes_of(containers: Collection[str]) -> list[int]:
    """Kill what runs in these containers, named by id, as far as it runs on this machine and may
    be killed by this user; returns the numbers of the processes.
    """
    killed = []
    for pid in process_table.running():
        groups = process_table.control_groups(pid)
        if any(container in groups for container in containers):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
    return killed


def watch(owner: str) -> None:
    """Return when standard input ends, which `owner` holds, and its containers are removed."""
    told = sys.stdin.read().split()
    for _ in range(_TRIES):
        try:
            remove_all_of(owner)
        except BrokerError:
            end_processes_of(told)
            time.sleep(1)  # the engine is busy, or starts again; the next sweep is for the rest
        else:
            return


if __name__ == "__main__":
    watch(sys.argv[1])
