"""Apache Pulsar in a container, for machines with a container engine (extra `containers`).

`TOUCHSTONE_PULSAR_IMAGE` names another image than `apachepulsar/pulsar` of the version that is
embedded.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import httpx

from jms_brokers.brokers.container import READY_WITHIN, ContainerBroker, ContainerPlan
from jms_brokers.brokers.container_engine import Images
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.brokers.profiles import CLIENT, profile_of
from jms_brokers.families.pulsar import blueprint, configuration, entry_filter, readiness
from jms_brokers.families.pulsar.product import NAME
from jms_brokers.families.pulsar.profiles import PROFILES
from jvm_runtime import progress
from jvm_runtime.own_folders import OwnFolder

VERSION = "4.0.7"
_SECRETS = "/pulsar/secrets"  # a path, not a password
_FILTERS = "/pulsar/touchstone-filters"
_COMMAND = (
    "bin/apply-config-from-env.py conf/standalone.conf && "
    "exec bin/pulsar standalone --no-functions-worker --no-stream-storage"
)
_JVM = {
    "PULSAR_MEM": "-Xms128m -Xmx256m -XX:MaxDirectMemorySize=192m",
    "PULSAR_GC": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=128m",
}


class ContainerPulsar(ContainerBroker):
    """One Pulsar standalone in a container of our own; see `ContainerBroker`.

    Inside and outside the ports are the same, so that look-ups give addresses that hold outside.
    """

    product = "Pulsar"
    images = Images(
        f"apachepulsar/pulsar:{VERSION}", f"touchstone/pulsar:{VERSION}", "TOUCHSTONE_PULSAR_IMAGE"
    )
    usual_memory = 1024

    def __init__(
        self,
        profile: str = "plain",
        *,
        offline: bool = False,
        log: Path | None = None,
        memory: int | None = None,
        ready_within: float = READY_WITHIN,
    ) -> None:
        self._profile = profile_of(NAME, PROFILES, profile)
        super().__init__(profile, log=log, memory=memory, ready_within=ready_within)
        self._offline = offline
        self._secrets: OwnFolder | None = None

    def close(self) -> None:
        """Remove the container with its data, and the keys that were made for it."""
        super().close()
        if self._secrets is not None:
            self._secrets.remove()
            self._secrets = None

    def _plan(self) -> ContainerPlan:
        if self._secrets is None:
            self._secrets = OwnFolder("secrets")
        secrets = self._secrets.path / "secrets"
        secrets.mkdir(exist_ok=True)
        address = blueprint.new_address(self._profile, "container", secrets)
        settings = {
            **configuration.SMALL_ANYWHERE,
            **blueprint.settings(self._profile, address, _SECRETS),
        }
        files = {f"{_SECRETS}/{file.name}": file.read_bytes() for file in secrets.iterdir()}
        if self._profile.filters:
            archive = entry_filter.archive(offline=self._offline, show=progress.on_stderr)
            files[f"{_FILTERS}/{archive.name}"] = archive.read_bytes()
            settings |= entry_filter.settings(_FILTERS, "/tmp")  # noqa: S108 (in the container)
        return ContainerPlan(
            address,
            ports={port: port for port in (address.service_port, address.admin_port)},
            environment={
                **_JVM,
                **{f"PULSAR_PREFIX_{key}": str(value) for key, value in settings.items()},
            },
            files=files,
            command=("bash", "-c", _COMMAND),
        )

    def _look(self, address: BrokerAddress) -> BrokerAddress | None:
        with readiness.AdminApi(address) as admin:
            if not admin.namespace_is_served():
                return None
            try:
                if self._profile.secured:
                    admin.make_administrator(CLIENT, tenant="public", cluster=configuration.CLUSTER)
                return replace(address, version=admin.version())
            except httpx.HTTPError:
                return None  # it has begun to serve, and is not done with starting

    def _pass_a_message(self, address: BrokerAddress) -> None:
        readiness.pass_a_message(address)
