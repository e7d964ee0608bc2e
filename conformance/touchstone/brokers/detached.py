"""Brokers that outlive the program that started them, by name: `touchstone broker start|stop|…`.

Each has a folder in the cache folder. The state file in it, readable by its owner only, says where
the broker is and which process it is; a file whose process is gone counts for nothing.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

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

USUAL_NAME: Final = USUAL
"""Of a broker that was started without one: that of its family."""
_STATE = "broker.json"
_NAME = re.compile(r"[a-z0-9][\w.-]{0,63}", re.ASCII | re.IGNORECASE)
_STOPPED_WITHIN = 30.0
_POLL = 0.05


@dataclass(frozen=True)
class DetachedBroker:
    """A detached broker that runs: where it is, its memory in bytes, since when in seconds.

    `state_file` holds its tokens too, for the profile that has any.
    """

    name: str
    address: BrokerAddress
    pid: int
    resident_bytes: int
    uptime: float
    state_file: Path


def start(
    profile: str = PLAIN, version: str = "", *, name: str = USUAL_NAME, offline: bool = False
) -> BrokerAddress:
    """Starts the detached broker of this name, or returns the one that runs with this profile.

    It is of the usual family. Without `version` one that runs may have any, and a new one has the
    usual one. What brokers left that were killed is removed first. Raises BrokerError, also if one
    of this name with another profile or version runs.
    """
    forget_ended()
    with _exclusive_access(name):
        running = status(name)
        if running is not None:
            address = running.address
            if address.profile != profile or version not in ("", address.version):
                raise BrokerError(
                    f"The broker {name} runs already: version {address.version}, with the profile "
                    f"{address.profile!r} ({address.service_url}, process {running.pid})",
                    hint=f"End it with `touchstone broker stop {name}` first, or start another one "
                    "besides with --name",
                )
            return address
        data = _folder(name) / "data"
        _forget(name)
        require_space(data, NEEDED_BYTES)
        broker = _broker(profile, version, offline, data)
        try:
            address = broker.start()
            assert address.pid is not None
            state = {
                "address": address.to_dict(),
                "began": began(address.pid),
                "started": time.time(),
            }
            write_atomically(_state_file(name), json.dumps(state).encode())
        except BaseException:
            broker.kill()
            raise
        return address


def stop(name: str = USUAL_NAME) -> bool:
    """Ends the detached broker of this name and removes its data; tells whether it ran."""
    with _exclusive_access(name):
        running = status(name)
        if running is not None:
            _end(running.pid)
        _forget(name)
        return running is not None


def status(name: str = USUAL_NAME) -> DetachedBroker | None:
    """Returns the detached broker of this name, None if it does not run."""
    file = _state_file(name)
    try:
        state = json.loads(file.read_bytes())
        address = BrokerAddress.from_dict(state["address"])
        pid, first, started = int(state["address"]["pid"]), state["began"], state["started"]
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise BrokerError(
            f"The state file {file} cannot be read ({error})",
            hint="Remove it; a broker that still runs shows as `ps -C java`",
        ) from error
    if began(pid) != first:
        return None
    age = max(0.0, time.time() - started)
    return DetachedBroker(name, address, pid, resident_bytes(pid), age, file)


def running() -> Sequence[DetachedBroker]:
    """Returns the detached brokers that run, by name; raises BrokerError as `status`."""
    return [broker for name in _names() if (broker := status(name)) is not None]


def meant(name: str | None) -> str:
    """Returns the name that was given, else that of the only broker that runs.

    It is the usual one where none runs. Raises BrokerError where several do.
    """
    if name is not None:
        return name
    names = [broker.name for broker in running()]
    if len(names) > 1:
        raise BrokerError(
            f"{len(names)} brokers run, and none of them was named",
            hint=f"Name one of {', '.join(names)}; `touchstone broker list` tells more of them",
        )
    return names[0] if names else USUAL_NAME


def require(name: str | None) -> DetachedBroker:
    """Returns the broker that `meant` names; raises BrokerError where it does not run."""
    wanted = meant(name)
    broker = status(wanted)
    if broker is None:
        names = ", ".join(each.name for each in running())
        raise BrokerError(
            f"No broker {wanted} runs that `touchstone broker start` has started",
            hint=f"These run: {names}" if names else "Start one: `touchstone broker start`",
        )
    return broker


def forget_ended() -> None:
    """Removes what brokers left whose process is gone."""
    for name in _names():
        with suppress(BrokerError), _exclusive_access(name):
            if status(name) is None:
                _forget(name)


def _broker(profile: str, version: str, offline: bool, folder: Path) -> Broker:
    make = family_named(USUAL).detached
    if make is None:
        raise BrokerError(
            f"Brokers of the family {USUAL} end with the process that starts them",
            hint="Use a broker that runs elsewhere",
        )
    return make(BrokerSettings(version=version, offline=offline), profile, folder)


def _names() -> Sequence[str]:
    """Of the brokers that have a state file."""
    found = (file.parent.name for file in _all().glob(f"*/{_STATE}"))
    return sorted(filter(_NAME.fullmatch, found))


def _all() -> Path:
    return cache_folder() / "detached"


def _folder(name: str) -> Path:
    if not _NAME.fullmatch(name):
        raise BrokerError(
            f"{name!r} is no name of a broker",
            hint="Give one of letters, digits, '.', '_' and '-', such as "
            f"{USUAL_NAME}-2, that begins with a letter or digit",
        )
    return _all() / name


def _state_file(name: str) -> Path:
    return _folder(name) / _STATE


@contextmanager
def _exclusive_access(name: str) -> Iterator[None]:
    """Keeps two commands from starting and stopping it at once; turns cache errors into ours."""
    try:
        with process_lock(_folder(name) / "lock"):
            yield
    except CacheError as error:
        raise BrokerError(error.message, hint=error.hint) from error


def _forget(name: str) -> None:
    data = _folder(name) / "data"
    _state_file(name).unlink(missing_ok=True)
    shutil.rmtree(data, ignore_errors=True)
    data.mkdir(mode=0o700, parents=True)


def _end(pid: int) -> None:
    first = began(pid)
    for how in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.kill(pid, how)
        deadline = time.monotonic() + _STOPPED_WITHIN
        while time.monotonic() < deadline:
            if began(pid) != first:
                return
            time.sleep(_POLL)
    raise BrokerError(f"The process {pid} does not end", hint="Is it in a debugger?")
