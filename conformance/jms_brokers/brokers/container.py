"""A broker in a container: started by testcontainers, watched, and removed at the end.

What is the same for every product: published on the loopback address alone, a limit on memory, a
log that is kept as evidence, faults, labels that say whose it is (`container_ownership.py`).
"""

from __future__ import annotations

import os
import re
import sys
import threading
import time
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from jms_brokers.brokers import container_engine, container_ownership
from jms_brokers.brokers.child_process import PortTakenError
from jms_brokers.brokers.container_engine import Images, asking
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.brokers.ownership import OwnedBroker
from jms_brokers.brokers.ports import require_free
from jms_brokers.errors import BrokerError

if TYPE_CHECKING:
    from docker.models.containers import Container
    from testcontainers.core.container import DockerContainer

HOST = "127.0.0.1"
MEMORY = "TOUCHSTONE_CONTAINER_MEMORY"
"""The variable that sets the memory of each broker in a container, in MiB."""
READY_WITHIN = 180.0
"""Seconds for a start."""
_STOPPED_WITHIN = 30
_POLL = 0.1
_LOG_TAIL = 25
_TRIES = 5
_NETWORK = "bridge"
_LEAST_MEMORY = 6
"""MiB; engines refuse less."""


@dataclass(frozen=True)
class ContainerPlan:
    """A container that is about to be made: where its broker shall be, and what it is given.

    `files` maps paths in the container to contents, `ports` those inside to those outside.
    """

    address: BrokerAddress
    ports: Mapping[int, int]
    environment: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)
    command: tuple[str, ...] | None = None


class ContainerBroker(OwnedBroker):
    """One broker in a container of our own; see `Broker` for what its methods do.

    `log` names a file that gets the broker's output as long as it runs. `memory` is its limit in
    MiB; by default the product's, or what the variable MEMORY says.
    """

    product: ClassVar[str]
    images: ClassVar[Images]
    usual_memory: ClassVar[int]
    """MiB with which the product runs a whole catalogue."""

    def __init__(
        self,
        profile: str,
        *,
        log: Path | None = None,
        memory: int | None = None,
        ready_within: float = READY_WITHIN,
    ) -> None:
        self._profile_name = profile
        self._log = log
        self._memory = memory or wanted_memory() or self.usual_memory
        self._ready_within = ready_within
        self._made: DockerContainer | None = None
        self._ended = False
        """Whether it was ended on purpose."""
        self._image = ""
        self._address: BrokerAddress | None = None

    @abstractmethod
    def _plan(self) -> ContainerPlan:
        """A new container for the broker; raises BrokerError."""

    @abstractmethod
    def _look(self, address: BrokerAddress) -> BrokerAddress | None:
        """The address, completed by what the broker says of itself; None while it is not ready."""

    @abstractmethod
    def _pass_a_message(self, address: BrokerAddress) -> None:
        """Send and take a message; raises BrokerError."""

    @property
    def address(self) -> BrokerAddress:
        """Where the broker is or, once ended, was; raises BrokerError before the first start."""
        if self._address is None:
            raise BrokerError(
                f"The broker {self._name} has not been started", hint="Start it first"
            )
        return self._address

    @property
    def log(self) -> Path | None:
        """The file that gets its output, if one was named; the engine has it too."""
        return self._log

    @property
    def image(self) -> str:
        """The image that runs; empty before the first start."""
        return self._image

    @property
    def container_id(self) -> str:
        """The container, as `docker` names it; raises BrokerError when there is none."""
        return str(self._container().id)

    @property
    def alive(self) -> bool:
        """False when the container, or the engine with it, has ended by itself."""
        if self._made is None or self._ended:
            return True
        try:
            return self._status() in ("running", "paused")
        except BrokerError:
            return False

    def start(self) -> BrokerAddress:
        """Start the container, the old one if there is one; raises BrokerError."""
        self._ended = False
        if self._made is None:
            self._create()
        else:
            with asking(f"start the container of {self._name}"):
                self._container().start()
        self._follow_log()
        deadline = time.monotonic() + self._ready_within
        self._address = self._await_answer(self.address, deadline)
        self._await_message(self._address, deadline)
        return self._address

    def stop(self) -> None:
        """End the container with SIGTERM; it stays with its data."""
        self._ended = True
        with asking(f"stop the container of {self._name}"):
            self._container().stop(timeout=_STOPPED_WITHIN)

    def kill(self) -> None:
        """End the container with SIGKILL; it stays with its data."""
        self._ended = True
        with asking(f"kill the container of {self._name}"):
            container = self._container()
            container.kill()
            container.wait()

    def restart(self) -> BrokerAddress:
        """Stop and start the container."""
        self.stop()
        return self.start()

    def pause(self) -> None:
        """Freeze the container."""
        with asking(f"pause the container of {self._name}"):
            self._container().pause()

    def resume(self) -> None:
        """Let the paused container go on."""
        with asking(f"resume the container of {self._name}"):
            self._container().unpause()

    def cut_network(self) -> None:
        """Take the container off its network: nothing goes in or out, and no end is notified."""
        with asking(f"take the container of {self._name} off its network"):
            container = self._container()
            container.client.networks.get(_NETWORK).disconnect(container, force=True)

    def join_network(self) -> None:
        """Put the container on its network again; its ports are published as before."""
        with asking(f"put the container of {self._name} on its network"):
            container = self._container()
            container.client.networks.get(_NETWORK).connect(container)

    def close(self) -> None:
        """Remove the container with its data."""
        made, self._made, self._address = self._made, None, None
        if made is None:
            return
        try:
            with asking(f"remove the container of {self._name}"):
                made.stop()
        except BrokerError as error:
            # Its owner's watcher, or the next start, removes what is left.
            print(f"{error.what}; it is removed later", file=sys.stderr)  # noqa: T201

    def _create(self) -> None:
        container_engine.require_extra()
        with asking(f"tell which containers of {self._name} there are"):
            engine = container_engine.client()
            try:
                container_ownership.sweep(engine)
            finally:
                engine.close()
        self._image = container_engine.image(self.images)
        for attempt in range(1, _TRIES + 1):
            plan = self._plan()
            require_free(*plan.ports.values())
            try:
                self._made = self._started(plan)
            except PortTakenError:
                if attempt == _TRIES:
                    raise
            else:
                self._address = plan.address
                return

    def _started(self, plan: ContainerPlan) -> DockerContainer:
        from testcontainers.core.config import testcontainers_config
        from testcontainers.core.container import DockerContainer

        testcontainers_config.ryuk_disabled = True  # `container_ownership` does its work
        with asking(f"run a container of {self._image}"):
            made = DockerContainer(self._image)
            made.with_kwargs(
                labels={**container_ownership.labels(), "touchstone.broker": self._name},
                mem_limit=f"{self._memory}m",
                memswap_limit=f"{self._memory}m",
            )
            for key, value in plan.environment.items():
                made.with_env(key, value)
            for path, content in plan.files.items():
                made.with_copy_into_container(content, path, 0o644)
            if plan.command is not None:
                made.with_command(list(plan.command))
            for inside, outside in plan.ports.items():
                # On the loopback address alone, which with_bind_ports cannot say.
                made.ports[f"{inside}/tcp"] = (HOST, outside)  # type: ignore[assignment]
            try:
                made.start()
                container_ownership.report_made(str(made.get_wrapped_container().id))
                return made
            except BaseException:
                made.stop()
                raise

    def _await_answer(self, address: BrokerAddress, deadline: float) -> BrokerAddress:
        while True:
            answering = self._look(address)
            if answering is not None:
                return replace(answering, log=str(self._log) if self._log is not None else None)
            status = self._status()
            if status not in ("running", "created", "restarting"):
                raise self._failed(self._how_it_ended())
            if time.monotonic() > deadline:
                raise self._failed(f"was not ready within {self._ready_within:g} s")
            time.sleep(_POLL)

    def _await_message(self, address: BrokerAddress, deadline: float) -> None:
        """Return when a message goes through: after a kill a broker answers before it can."""
        while True:
            try:
                return self._pass_a_message(address)
            except BrokerError:
                if time.monotonic() > deadline or self._status() != "running":
                    raise
            time.sleep(_POLL)

    def _failed(self, what: str) -> BrokerError:
        with asking(f"show the log of {self._name}"):
            tail = self._container().logs(tail=_LOG_TAIL).decode(errors="replace")
        return BrokerError(
            f"The {self.product} broker in a container of {self._image} {what}; the end of its "
            f"log:\n{tail}\n",
            hint=f"Is the image one of {self.product}, and are {self._memory} MiB of memory enough "
            f"({MEMORY} gives more)?",
        )

    def _how_it_ended(self) -> str:
        state = self._container().attrs["State"]
        if state.get("OOMKilled"):
            return f"needs more than the {self._memory} MiB of memory that it has"
        return f"exited with status {state.get('ExitCode')}"

    def _status(self) -> str:
        with asking(f"tell how the container of {self._name} is"):
            container = self._container()
            container.reload()
            return str(container.status)

    def _follow_log(self) -> None:
        """Write what the broker says into the file; from its first start on, at each start."""
        if self._log is not None:
            self._log.parent.mkdir(parents=True, exist_ok=True)
            threading.Thread(
                target=_follow,
                args=(self.container_id, self._log),
                name=f"log of {self._name}",
                daemon=True,
            ).start()

    def _container(self) -> Container:
        if self._made is None:
            raise BrokerError(f"The broker {self._name} is not running", hint="Start it first")
        return self._made.get_wrapped_container()

    @property
    def _name(self) -> str:
        return f"{self.product}-{self._profile_name}".lower()


def wanted_memory() -> int | None:
    """Return what the variable MEMORY says, in MiB, if it is set; raises BrokerError."""
    text = os.environ.get(MEMORY, "")
    if not text:
        return None
    if not re.fullmatch(r"[1-9][0-9]{0,6}", text) or int(text) < _LEAST_MEMORY:
        raise BrokerError(
            f"{MEMORY}={text!r} is no number of MiB from {_LEAST_MEMORY} upwards",
            hint=f"Set it to a number such as 1024, or unset {MEMORY}",
        )
    return int(text)


def _follow(container: str, log: Path) -> None:
    try:
        with asking(f"follow the log of {container}"):
            engine = container_engine.client()
            try:
                lines = engine.containers.get(container).logs(stream=True, follow=True)
                with log.open("wb", buffering=0) as file:
                    for line in lines:
                        file.write(line)
            finally:
                engine.close()
    except BrokerError:
        pass  # the container or the engine went away: what was said until then is in the file
