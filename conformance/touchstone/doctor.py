"""Examines the machine: each check looks at one thing and says what to do when it is lacking."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import socket
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, version

from jms_histories.engines.free_memory import free_memory_mib
from jvm_runtime.cache import cache_folder, writing
from jvm_runtime.errors import JvmRuntimeError, OfflineError
from jvm_runtime.fetch import fetch
from jvm_runtime.jre import find_jre
from jvm_runtime.locks import known, load, platform_tag
from touchstone.errors import BrokerError, HarnessError
from touchstone.families.locked import LOCKED, LockedBroker
from touchstone.providers.starlight import RELEASES
from touchstone.results import allure_tool
from touchstone.secrecy import hidden

_NEEDED_DISK = 1 << 30
_NEEDED_MEMORY = 1 << 30
_DEFAULT_PORTS = (6650, 8080)
_ENGINE_SILENCE = 10
"""Seconds that a container engine may take to answer."""


class State(StrEnum):
    """How a check ended."""

    FINE = "fine"
    LACKS = "lacks"
    """Something that only some uses need is not there."""
    FAILS = "fails"
    """The main job cannot be done."""


@dataclass(frozen=True)
class Finding:
    """What one check saw, and what to do about it."""

    state: State
    seen: str
    advice: str = ""

    def as_dict(self) -> dict[str, object]:
        """Plain data for JSON."""
        return asdict(self)


Check = Callable[[], Finding]


def examine(check: Check) -> Finding:
    """The finding of `check`; one that cannot be made is a failure by itself."""
    try:
        found = check()
    except JvmRuntimeError as error:
        found = Finding(State.FAILS, error.message, error.hint)
    except OSError as error:
        found = Finding(State.FAILS, str(error), "Look at the file named.")
    return replace(found, seen=hidden(found.seen), advice=hidden(found.advice))


def python() -> Finding:
    """Which Python runs this."""
    return Finding(State.FINE, f"{platform.python_version()} on {platform.platform()}")


def pulsar_client() -> Finding:
    """The native client, which the reference and the readiness check use."""
    try:
        seen = version("pulsar-client")
    except PackageNotFoundError:
        return Finding(State.FAILS, "not installed", "pip install pulsar-client")
    return Finding(State.FINE, seen)


def embedded_platform() -> Finding:
    """Whether the jars of the broker are locked for this platform."""
    tag = platform_tag()
    if any(tag in lock for lock in known()):
        return Finding(State.FINE, f"there is a lock for {tag}")
    return Finding(
        State.FAILS,
        f"there is no lock for {tag}",
        "Judge on a broker of your own: --broker pulsar://HOST:PORT, or --broker container.",
    )


def java() -> Finding:
    """The Java that the embedded broker runs on."""
    jre = find_jre()
    return Finding(State.FINE, f"{jre.version} in {jre.java}")


def java_in_python() -> Finding:
    """Whether the reference can run on the Java client: what runs Java inside Python, and jars."""
    try:
        seen = version("jpype1")
    except PackageNotFoundError:
        return Finding(
            State.LACKS,
            "JPype is not installed",
            "For clients in Java (--provider reference-java, --provider starlight): "
            "pip install 'jms-touchstone[java]'",
        )
    lock = load("pulsar-client")
    try:
        fetch(lock, offline=True)
    except OfflineError:
        return Finding(
            State.LACKS,
            f"JPype {seen}, but not all of the client's {len(lock.jars)} jars",
            "The first run with --provider reference-java fetches them.",
        )
    return Finding(State.FINE, f"JPype {seen}, {len(lock.jars)} jars verified")


def starlight() -> Finding:
    """Whether Starlight for JMS can be judged: the jars of each version."""
    if importlib.util.find_spec("jpype") is None:
        return Finding(State.LACKS, "needs JPype", "pip install 'jms-touchstone[java]'")
    missing = []
    for version_ in RELEASES.known:
        try:
            fetch(load(RELEASES.program(version_)), offline=True)
        except OfflineError:
            missing.append(version_)
    if missing:
        return Finding(
            State.LACKS,
            f"not all jars of {', '.join(missing)}",
            f"The first run with --provider starlight@{missing[0]} fetches them (70 MiB).",
        )
    return Finding(State.FINE, f"{' and '.join(RELEASES.known)}, jars verified")


def artifacts() -> Finding:
    """Whether the jars of the broker are here and verified."""
    lock = load(LOCKED["pulsar"].lock())
    megabytes = sum(jar.size for jar in lock.jars) >> 20
    try:
        fetch(lock, offline=True)
    except OfflineError:
        return Finding(
            State.LACKS,
            f"not all of {len(lock.jars)} are in {cache_folder()}",
            f"The first run fetches them ({megabytes} MiB); TOUCHSTONE_MAVEN_URL names a mirror.",
        )
    return Finding(State.FINE, f"{len(lock.jars)} verified, {megabytes} MiB")


def broker_versions() -> Finding:
    """Which versions of brokers can be embedded, and whether their jars are here."""
    seen = []
    for broker in LOCKED.values():
        named = (f"{version}{_whether_fetched(broker, version)}" for version in broker.known)
        seen.append(f"{broker.product} {', '.join(named)}")
    return Finding(State.FINE, "; ".join(seen))


def _whether_fetched(broker: LockedBroker, version: str) -> str:
    usual = " (usual)" if version == broker.usual else ""
    try:
        fetch(load(broker.lock(version)), offline=True)
    except OfflineError:
        return f"{usual} (fetched when first asked for)"
    return usual


def cache() -> Finding:
    """Whether the cache folder can be written and has room."""
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with writing(folder):
        free = shutil.disk_usage(folder).free
        probe = folder / f".doctor-{os.getpid()}"
        probe.write_bytes(b"")
        probe.unlink()
    seen = f"{folder}, {free >> 20} MiB free"
    if free < _NEEDED_DISK:
        return Finding(State.FAILS, seen, "Free 1 GiB, or set TOUCHSTONE_CACHE elsewhere.")
    return Finding(State.FINE, seen)


def memory() -> Finding:
    """Whether the broker fits."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    seen = f"{free_memory_mib()} of {total >> 20} MiB free"
    if total < _NEEDED_MEMORY:
        return Finding(State.FAILS, seen, "The embedded broker needs about 350 MiB.")
    return Finding(State.FINE, seen)


def default_ports() -> Finding:
    """Whether Pulsar's own ports are free."""
    taken = [port for port in _DEFAULT_PORTS if _is_taken(port)]
    if not taken:
        return Finding(State.FINE, "free")
    return Finding(
        State.LACKS,
        f"taken: {', '.join(map(str, taken))}",
        "Only the profile default-ports needs them; end what listens there, or do without.",
    )


def histories() -> Finding:
    """Whether workloads can be judged: what seals and verifies histories."""
    try:
        return Finding(State.FINE, f"NumPy {version('numpy')}, Arrow {version('pyarrow')}")
    except PackageNotFoundError as error:
        return Finding(
            State.LACKS,
            f"{error.name} is not installed",
            "Scenarios with workloads, verify and history need it: "
            "pip install 'jms-touchstone[volume]'",
        )


def containers() -> Finding:
    """Whether brokers in containers can be started."""
    from touchstone.brokers import container_engine

    try:
        with container_engine.asking("tell its version"):
            engine = container_engine.client(silence=_ENGINE_SILENCE)
            try:
                version = engine.version()["Version"]
            finally:
                engine.close()
    except BrokerError as error:
        return Finding(State.LACKS, error.what, f"Only --broker container needs it: {error.hint}")
    return Finding(State.FINE, f"{version} at {container_engine.engine_address()}")


def browser() -> Finding:
    """Whether the test of the HTML report can run."""
    found = shutil.which("chromium")
    if found is None:
        return Finding(
            State.LACKS,
            "not installed",
            "Only the project's own test of the report needs it: apt-get install chromium",
        )
    return Finding(State.FINE, found)


def allure_page() -> Finding:
    """Whether Allure's own page can be made, which needs Node, npm and Allure."""
    only = "Only `touchstone report --allure` needs it."
    try:
        found = allure_tool.installed()
    except HarnessError as error:
        return Finding(State.LACKS, error.what, f"{only} {error.hint}")
    if found is not None:
        return Finding(State.FINE, f"Allure {found.version}, {found.node}")
    seen = f"Allure {allure_tool.pinned_version()} is not fetched yet"
    if shutil.which("npm") is None:
        return Finding(State.LACKS, f"{seen}, and there is no npm", f"{only} Install npm.")
    return Finding(State.LACKS, seen, f"{only} Its first call fetches it (50 MiB).")


CHECKS: Mapping[str, Check] = {
    "Python": python,
    "Pulsar client": pulsar_client,
    "Embedded broker": embedded_platform,
    "Java": java,
    "Cache folder": cache,
    "Broker's jars": artifacts,
    "Brokers' versions": broker_versions,
    "Java in Python": java_in_python,
    "Starlight for JMS": starlight,
    "Memory": memory,
    "Ports 6650 and 8080": default_ports,
    "Histories": histories,
    "Containers": containers,
    "Allure's page": allure_page,
    "Chromium": browser,
}


def _is_taken(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
