"""What `touchstone doctor` looks at for Pulsar."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from functools import partial
from importlib.metadata import PackageNotFoundError, version

from jms_brokers.machine.findings import Check, CheckState, MachineFinding
from jms_brokers.shared.locked import LockedBroker
from jvm_runtime.cache import cache_folder
from jvm_runtime.fetch import fetch
from jvm_runtime.jvm_errors import OfflineError
from jvm_runtime.locks import load

_DEFAULT_PORTS = (6650, 8080)


def of(broker: LockedBroker) -> Mapping[str, Check]:
    """The checks by their subjects; `broker` is the embedded one."""
    return {
        "Pulsar client": pulsar_client,
        "Broker's jars": partial(artifacts, broker),
        "Ports 6650 and 8080": default_ports,
    }


def pulsar_client() -> MachineFinding:
    """The native client, which the reference and the readiness check use."""
    try:
        seen = version("pulsar-client")
    except PackageNotFoundError:
        return MachineFinding(CheckState.FAILS, "not installed", "pip install pulsar-client")
    return MachineFinding(CheckState.FINE, seen)


def artifacts(broker: LockedBroker) -> MachineFinding:
    """Whether the jars of the broker are here and verified."""
    lock = load(broker.lock())
    megabytes = sum(jar.size for jar in lock.jars) >> 20
    try:
        fetch(lock, offline=True)
    except OfflineError:
        return MachineFinding(
            CheckState.LACKS,
            f"not all of {len(lock.jars)} are in {cache_folder()}",
            f"The first run fetches them ({megabytes} MiB); TOUCHSTONE_MAVEN_URL names a mirror.",
        )
    return MachineFinding(CheckState.FINE, f"{len(lock.jars)} verified, {megabytes} MiB")


def default_ports() -> MachineFinding:
    """Whether Pulsar's own ports are free."""
    taken = [port for port in _DEFAULT_PORTS if _is_taken(port)]
    if not taken:
        return MachineFinding(CheckState.FINE, "free")
    return MachineFinding(
        CheckState.LACKS,
        f"taken: {', '.join(map(str, taken))}",
        "Only the profile default-ports needs them; end what listens there, or do without.",
    )


def _is_taken(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
