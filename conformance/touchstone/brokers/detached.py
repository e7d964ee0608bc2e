"""The one broker that outlives the program that started it: `touchstone broker start|stop|status`.

A state file in the cache folder, readable by its owner only, says where it is and which process it
is; a file whose process is gone counts for nothing.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from jms_brokers.brokers.broker_folders import NEEDED_BYTES, require_space
from jms_brokers.brokers.child_process import resident_bytes
from jms_brokers.brokers.interface import Broker, BrokerAddress
from jms_brokers.brokers.profiles import PLAIN
from jms_brokers.errors import BrokerError
from jms_brokers.machine.process_table import began
from jms_brokers.shared.registry import family_named
from jms_brokers.shared.settings import USUAL, BrokerSettings
from jvm_runtime.cache import cache_folder, process_lock, write_atomically
from jvm_runtime.jvm_errors import CacheError

_STOPPED_WITHIN = 30.0
_POLL = 0.05


@dataclass(frozen=True)
class DetachedBroker:
    """A detached broker that runs: where it is, its memory in bytes, since when in seconds.

    `state_file` holds its tokens too, for the profile that has any.
    """

    address: BrokerAddress
    pid: int
    resident_bytes: int
    uptime: float
    state_file: Path


def start(profile: str = PLAIN, version: str = "", *, offline: bool = False) -> BrokerAddress:
    """Starts the detached broker, or returns the one that runs with this profile already.

    It is of the usual family. Without `version` one that runs may have any, and a new one has the
    usual one. Raises BrokerError, also if one with another profile or version runs.
    """
    with _exclusive_access():
        running = status()
        if running is not None:
            address = running.address
            if address.profile != profile or version not in ("", address.version):
                raise BrokerError(
                    f"A broker {address.version} with the profile {address.profile!r} runs already "
                    f"({address.service_url}, process {running.pid})",
                    hint="End it with `touchstone broker stop` first",
                )
            return address
        folder = _folder() / "data"
        _forget(folder)
        require_space(folder, NEEDED_BYTES)
        broker = _broker(profile, version, offline, folder)
        try:
            address = broker.start()
            assert address.pid is not None
            state = {
                "address": address.to_dict(),
                "began": began(address.pid),
                "started": time.time(),
            }
            write_atomically(_state_file(), json.dumps(state).encode())
        except BaseException:
            broker.kill()
            raise
        return address


def stop() -> bool:
    """Ends the detached broker and removes its data; tells whether there was one."""
    with _exclusive_access():
        running = status()
        if running is not None:
            _end(running.pid)
        _forget(_folder() / "data")
        return running is not None


def status() -> DetachedBroker | None:
    """Returns the detached broker, None if none runs."""
    try:
        state = json.loads(_state_file().read_bytes())
        address = BrokerAddress.from_dict(state["address"])
        pid, first, started = int(state["address"]["pid"]), state["began"], state["started"]
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise BrokerError(
            f"The state file {_state_file()} cannot be read ({error})",
            hint="Remove it; a broker that still runs shows as `ps -C java`",
        ) from error
    if began(pid) != first:
        return None
    return DetachedBroker(
        address, pid, resident_bytes(pid), max(0.0, time.time() - started), _state_file()
    )


def _broker(profile: str, version: str, offline: bool, folder: Path) -> Broker:
    make = family_named(USUAL).detached
    if make is None:
        raise BrokerError(
            f"Brokers of the family {USUAL} end with the process that starts them",
            hint="Use a broker that runs elsewhere",
        )
    return make(BrokerSettings(version=version, offline=offline), profile, folder)


def _folder() -> Path:
    return cache_folder() / "detached"


def _state_file() -> Path:
    return _folder() / "broker.json"


@contextmanager
def _exclusive_access() -> Iterator[None]:
    """Keeps two commands from starting and stopping at once; turns cache errors into ours."""
    try:
        with process_lock(_folder() / "lock"):
            yield
    except CacheError as error:
        raise BrokerError(error.message, hint=error.hint) from error


def _forget(data: Path) -> None:
    _state_file().unlink(missing_ok=True)
    shutil.rmtree(data, ignore_errors=True)
    data.mkdir(mode=0o700, parents=True)


def _end(pid: int) -> None:
    first = began(pid)
    for how in (signal.SIGTERM, signal.SIGKILL):
        os.kill(pid, how)
        deadline = time.monotonic() + _STOPPED_WITHIN
        while time.monotonic() < deadline:
            if began(pid) != first:
                return
            time.sleep(_POLL)
    raise BrokerError(f"The process {pid} does not end", hint="Is it in a debugger?")
