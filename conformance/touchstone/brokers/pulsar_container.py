"""Apache Pulsar in a container, for machines with a container engine (extra `containers`).

`TOUCHSTONE_PULSAR_IMAGE` names another image than `apachepulsar/pulsar:4.0.7`.
"""

from __future__ import annotations

import os
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from jvm_runtime import progress
from touchstone.brokers import blueprint, configuration, entry_filter, readiness
from touchstone.brokers.interface import BrokerAddress
from touchstone.brokers.ownership import OwnedBroker
from touchstone.brokers.ports import require_free
from touchstone.brokers.profiles import CLIENT, profile_named
from touchstone.errors import BrokerError

if TYPE_CHECKING:
    from docker.models.containers import Container
    from testcontainers.core.container import DockerContainer

DEFAULT_IMAGE = "apachepulsar/pulsar:4.0.7"
_SECRETS = "/pulsar/secrets"  # a path, not a password
_FILTERS = "/pulsar/touchstone-filters"
_COMMAND = (
    "bin/apply-config-from-env.py conf/standalone.conf && "
    "exec bin/pulsar standalone --no-functions-worker --no-stream-storage"
)
_READY_WITHIN = 180.0
_POLL = 0.2
_LOG_TAIL = 25
_ENGINE_HINT = (
    "Start a container engine (`docker info` must work for this user; DOCKER_HOST names another "
    "one), or use --broker embedded or --broker pulsar://HOST:PORT"
)


class ContainerPulsar(OwnedBroker):
    """One Pulsar standalone in a container of our own; see `Broker` for what its methods do.

    Inside and outside the ports are the same, so that look-ups give addresses that hold outside.
    """

    def __init__(self, profile: str = "plain") -> None:
        self._profile = profile_named(profile)
        self._image = os.environ.get("TOUCHSTONE_PULSAR_IMAGE") or DEFAULT_IMAGE
        self._container: DockerContainer | None = None
        self._address: BrokerAddress | None = None
        self._secrets: tempfile.TemporaryDirectory[str] | None = None

    @property
    def address(self) -> BrokerAddress:
        """Where the broker is or, once ended, was; raises BrokerError before the first start."""
        if self._address is None:
            raise BrokerError(
                f"The broker {self._profile.name} has not been started", hint="Start it first"
            )
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
        readiness.pass_a_message(self.address)
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
        if self._secrets is not None:
            self._secrets.cleanup()
            self._secrets = None

    def _create(self) -> tuple[BrokerAddress, DockerContainer]:
        try:
            from docker.errors import DockerException
            from testcontainers.core.container import DockerContainer
        except ImportError as error:
            raise BrokerError(
                "The extra for containers is not installed",
                hint="pip install 'jms-touchstone[containers]'",
            ) from error
        self._secrets = tempfile.TemporaryDirectory(prefix="touchstone-")
        secrets = Path(self._secrets.name)
        address = blueprint.new_address(self._profile, "container", secrets)
        require_free(address.service_port, address.admin_port)
        try:
            container = DockerContainer(self._image)
            container.with_command(["bash", "-c", _COMMAND])
            container.with_env("PULSAR_MEM", "-Xms256m -Xmx256m -XX:MaxDirectMemorySize=192m")
            settings = blueprint.settings(self._profile, address, _SECRETS)
            if self._profile.filters:
                archive = entry_filter.archive(offline=False, show=progress.on_stderr)
                settings |= entry_filter.settings(_FILTERS, "/tmp")  # noqa: S108 (in the container)
                container.with_copy_into_container(
                    archive.read_bytes(), f"{_FILTERS}/{archive.name}", 0o644
                )
            for key, value in settings.items():
                container.with_env(f"PULSAR_PREFIX_{key}", str(value))
            for file in secrets.iterdir():
                container.with_copy_into_container(
                    file.read_bytes(), f"{_SECRETS}/{file.name}", 0o644
                )
            for port in (address.service_port, address.admin_port):
                # On the loopback address alone, which with_bind_ports cannot say.
                container.ports[f"{port}/tcp"] = (blueprint.HOST, port)  # type: ignore[assignment]
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
        with readiness.AdminApi(address) as admin:
            while not admin.namespace_is_served():
                engine = self._engine()
                engine.reload()
                if engine.status == "exited" or time.monotonic() > deadline:
                    tail = engine.logs(tail=_LOG_TAIL).decode(errors="replace")
                    raise BrokerError(
                        f"The broker in the container {engine.short_id} of {self._image} is "
                        f"{engine.status} and does not answer; the end of its log:\n{tail}\n",
                        hint="Is there memory for it (1 GB), and is the image a Pulsar 4 image?",
                    )
                time.sleep(_POLL)
            if self._profile.secured:
                admin.make_administrator(CLIENT, tenant="public", cluster=configuration.CLUSTER)
            self._address = replace(address, version=admin.version())

    def _engine(self) -> Container:
        if self._container is None:
            raise BrokerError(
                f"The broker {self._profile.name} is not running", hint="Start it first"
            )
        return self._container.get_wrapped_container()
