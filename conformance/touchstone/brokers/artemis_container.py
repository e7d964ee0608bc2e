"""Apache Artemis in a container, for machines with a container engine (extra `containers`).

`TOUCHSTONE_ARTEMIS_IMAGE` names another image than `apache/artemis:2.55.0`.
"""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from touchstone.brokers import amqp_readiness, artemis_readiness
from touchstone.brokers.artemis_configuration import broker_xml
from touchstone.brokers.interface import BrokerAddress
from touchstone.brokers.ownership import OwnedBroker
from touchstone.brokers.ports import free_ports, require_free
from touchstone.brokers.profiles import require_plain
from touchstone.errors import BrokerError

if TYPE_CHECKING:
    from docker.models.containers import Container
    from testcontainers.core.container import DockerContainer

DEFAULT_IMAGE = "apache/artemis:2.55.0"
_HOST = "127.0.0.1"
_INSTANCE = "/var/lib/artemis-instance"
_OVERRIDE = f"{_INSTANCE}/etc-override/broker.xml"
"""The image copies what lies there over the configuration of the instance that it makes."""
_PORT = 5672
_READY_WITHIN = 180.0
_POLL = 0.2
_LOG_TAIL = 25
_ENGINE_HINT = (
    "Start a container engine (`docker info` must work for this user; DOCKER_HOST names another "
    "one), or use --broker embedded or --broker artemis=amqp://HOST:PORT"
)


class ContainerArtemis(OwnedBroker):
    """One Artemis broker in a container of our own; see `Broker` for what its methods do."""

    def __init__(self, profile: str = "plain") -> None:
        require_plain("artemis", profile)
        self._profile = profile
        self._image = os.environ.get("TOUCHSTONE_ARTEMIS_IMAGE") or DEFAULT_IMAGE
        self._container: DockerContainer | None = None
        self._address: BrokerAddress | None = None

    @property
    def address(self) -> BrokerAddress:
        """Where the broker is or, once ended, was; raises BrokerError before the first start."""
        if self._address is None:
            raise BrokerError("The broker artemis has not been started", hint="Start it first")
        return self._address

    @property
    def log(self) -> Path | None:
        """None: the engine keeps the log (`docker logs`)."""
        return None

    def start(self) -> BrokerAddress:
        """Starts the container, the old one if there is one; raises BrokerError."""
        if self._container is None:
            self._address, self._container = self._create()
        else:
            self._engine().start()
        self._await_answer(self.address)
        amqp_readiness.pass_a_message(self.address)
        return self.address

    def stop(self) -> None:
        """Ends the container with SIGTERM; it stays with its data."""
        self._engine().stop()

    def kill(self) -> None:
        """Ends the container with SIGKILL; it stays with its data."""
        self._engine().kill()

    def restart(self) -> BrokerAddress:
        """Stops and starts the container."""
        self.stop()
        return self.start()

    def pause(self) -> None:
        """Freezes the container."""
        self._engine().pause()

    def resume(self) -> None:
        """Lets the paused container go on."""
        self._engine().unpause()

    def close(self) -> None:
        """Removes the container."""
        if self._container is not None:
            self._container.stop()
            self._container = self._address = None

    def _create(self) -> tuple[BrokerAddress, DockerContainer]:
        try:
            from docker.errors import DockerException
            from testcontainers.core.container import DockerContainer
        except ImportError as error:
            raise BrokerError(
                "The extra for containers is not installed",
                hint="pip install 'jms-touchstone[containers]'",
            ) from error
        (port,) = free_ports(1)
        require_free(port)
        address = BrokerAddress(
            service_url=f"amqp://{_HOST}:{port}",
            admin_url="",
            profile=self._profile,
            way="container",
            version="",
            family="artemis",
        )
        xml = broker_xml("touchstone", f"{_INSTANCE}/data", "0.0.0.0", _PORT)  # noqa: S104 (inside)
        try:
            container = DockerContainer(self._image)
            container.with_env("ANONYMOUS_LOGIN", "true")
            container.with_copy_into_container(xml.encode(), _OVERRIDE, 0o644)
            # On the loopback address alone, which with_bind_ports cannot say.
            container.ports[f"{_PORT}/tcp"] = (_HOST, port)  # type: ignore[assignment]
            try:
                return address, container.start()
            except BaseException:
                container.stop()
                raise
        except DockerException as error:
            raise BrokerError(
                f"No container engine answers, or it cannot run {self._image} ({error})",
                hint=_ENGINE_HINT,
            ) from error

    def _await_answer(self, address: BrokerAddress) -> None:
        deadline = time.monotonic() + _READY_WITHIN
        while not amqp_readiness.answers(address):
            engine = self._engine()
            engine.reload()
            if engine.status == "exited" or time.monotonic() > deadline:
                tail = engine.logs(tail=_LOG_TAIL).decode(errors="replace")
                raise BrokerError(
                    f"The broker in the container {engine.short_id} of {self._image} is "
                    f"{engine.status} and does not answer; the end of its log:\n{tail}\n",
                    hint="Is there memory for it (512 MB), and is the image an Artemis 2 image?",
                )
            time.sleep(_POLL)
        self._address = replace(address, version=artemis_readiness.version(address))

    def _engine(self) -> Container:
        if self._container is None:
            raise BrokerError("The broker artemis is not running", hint="Start it first")
        return self._container.get_wrapped_container()
