"""What is looked at on every machine."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version

from jms_brokers.errors import BrokerError
from jms_brokers.machine.findings import Check, CheckState, MachineFinding
from jms_brokers.shared.locked import LockedBroker
from jms_brokers.shared.registry import families, family_named, family_names
from jms_brokers.shared.settings import USUAL
from jms_histories.engines.free_memory import free_memory_mib
from jvm_runtime.cache import cache_folder, writing
from jvm_runtime.fetch import fetch
from jvm_runtime.javas import here, locked
from jvm_runtime.jre import Jre, find_jre
from jvm_runtime.jvm_errors import OfflineError
from jvm_runtime.locks import known_locks, load, platform_tag
from touchstone.errors import HarnessError
from touchstone.results import allure_tool

_IMAGE = "The image has all of it, by emulation (docs/installing.md#as-an-image), untried there"
_PLATFORMS: Mapping[str, MachineFinding] = {
    "linux-x86_64": MachineFinding(CheckState.FINE, "all of Touchstone was run on it"),
    "linux-aarch64": MachineFinding(
        CheckState.LACKS,
        "the locked packages have wheels for it, and nothing of Touchstone was run on it",
        f"Judge on brokers of your own. {_IMAGE}.",
    ),
    "darwin-aarch64": MachineFinding(
        CheckState.FAILS,
        "the locked packages have wheels for it; what judges needs Linux, what reads results does "
        "not, and nothing of Touchstone was run on it",
        f"{_IMAGE}.",
    ),
}
"""What is known of platforms; docs/installing.md has the same as a table."""
_UNKNOWN = MachineFinding(CheckState.FAILS, "nothing is known of it", f"{_IMAGE}.")
_NEEDED_DISK = 1 << 30
_NEEDED_MEMORY = 1 << 30
_ENGINE_SILENCE = 10
"""Seconds that a container engine may take to answer."""


def python() -> MachineFinding:
    """Which Python runs this."""
    return MachineFinding(CheckState.FINE, f"{platform.python_version()} on {platform.platform()}")


def this_platform() -> MachineFinding:
    """What is known of this platform."""
    tag = platform_tag()
    known = _PLATFORMS.get(tag, _UNKNOWN)
    return replace(known, seen=f"{tag}: {known.seen}")


def embedded_platform() -> MachineFinding:
    """Whether the jars of the broker are locked for this platform."""
    tag = platform_tag()
    if any(tag in lock for lock in known_locks()):
        return MachineFinding(CheckState.FINE, f"there is a lock for {tag}")
    return MachineFinding(
        CheckState.FAILS,
        f"there is no lock for {tag}",
        "Judge on a broker of your own (--broker URL), in a container (--broker container), or of "
        f"another family. {_IMAGE}.",
    )


def java() -> MachineFinding:
    """The Java that the embedded broker runs on."""
    jre = find_jre()
    return MachineFinding(CheckState.FINE, f"{jre.version} in {jre.java}")


def javas_of_clients() -> MachineFinding:
    """Which Javas clients can be judged on: of this machine, and those that can be fetched."""
    there: dict[int, Jre] = {}
    for found in here():
        there.setdefault(found.major, found)
    seen = [
        f"{there[each].version} in {there[each].java}"
        if each in there
        else f"{each} (fetched from PyPI when first asked for)"
        for each in sorted({*there, *locked()})
    ]
    return MachineFinding(CheckState.FINE, "; ".join(seen))


def java_in_python() -> MachineFinding:
    """Whether the reference can run on the Java client: what runs Java inside Python, and jars."""
    seen = version("jpype1")
    from pulsar_jms.transport.java_client.classes import PROGRAM  # brings the reference's client

    lock = load(PROGRAM)
    try:
        fetch(lock, offline=True)
    except OfflineError:
        return MachineFinding(
            CheckState.LACKS,
            f"JPype {seen}, but not all of the client's {len(lock.jars)} jars",
            "The first run with --provider reference-java fetches them.",
        )
    return MachineFinding(CheckState.FINE, f"JPype {seen}, {len(lock.jars)} jars verified")


def starlight() -> MachineFinding:
    """Whether Starlight for JMS can be judged: the jars of each version."""
    from jms_clients.starlight import RELEASES  # brings the reference's client

    missing = []
    for version_ in RELEASES.known:
        try:
            fetch(load(RELEASES.program(version_)), offline=True)
        except OfflineError:
            missing.append(version_)
    if missing:
        return MachineFinding(
            CheckState.LACKS,
            f"not all jars of {', '.join(missing)}",
            f"The first run with --provider starlight@{missing[0]} fetches them (70 MiB).",
        )
    return MachineFinding(CheckState.FINE, f"{' and '.join(RELEASES.known)}, jars verified")


def broker_versions() -> MachineFinding:
    """Which versions of brokers can be embedded, and whether their jars are here."""
    seen = []
    for broker in (family.locked for family in families().values() if family.locked is not None):
        named = (f"{version}{_whether_fetched(broker, version)}" for version in broker.known)
        seen.append(f"{broker.product} {', '.join(named)}")
    return MachineFinding(CheckState.FINE, "; ".join(seen))


def _whether_fetched(broker: LockedBroker, version: str) -> str:
    usual = " (usual)" if version == broker.usual else ""
    try:
        fetch(load(broker.lock(version)), offline=True)
    except OfflineError:
        return f"{usual} (fetched when first asked for)"
    return usual


def cache() -> MachineFinding:
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
        return MachineFinding(
            CheckState.FAILS, seen, "Free 1 GiB, or set TOUCHSTONE_CACHE elsewhere."
        )
    return MachineFinding(CheckState.FINE, seen)


def memory() -> MachineFinding:
    """Whether the broker fits."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    free = free_memory_mib()
    seen = f"{total >> 20} MiB" if free is None else f"{free} of {total >> 20} MiB free"
    if total < _NEEDED_MEMORY:
        return MachineFinding(CheckState.FAILS, seen, "The embedded broker needs about 350 MiB.")
    return MachineFinding(CheckState.FINE, seen)


def histories() -> MachineFinding:
    """Whether workloads can be judged: what seals and verifies histories."""
    try:
        return MachineFinding(
            CheckState.FINE, f"NumPy {version('numpy')}, Arrow {version('pyarrow')}"
        )
    except PackageNotFoundError as error:
        return MachineFinding(
            CheckState.LACKS,
            f"{error.name} is not installed",
            "Scenarios with workloads, verify and history need it: "
            "pip install 'jms-touchstone[volume]'",
        )


def containers() -> MachineFinding:
    """Whether brokers in containers can be started."""
    from jms_brokers.brokers import container_engine

    try:
        with container_engine.asking("tell its version"):
            engine = container_engine.client(silence=_ENGINE_SILENCE)
            try:
                version = engine.version()["Version"]
            finally:
                engine.close()
    except BrokerError as error:
        return MachineFinding(
            CheckState.LACKS, error.what, f"Only --broker container needs it: {error.hint}"
        )
    return MachineFinding(CheckState.FINE, f"{version} at {container_engine.engine_address()}")


def browser() -> MachineFinding:
    """Whether the test of the HTML report can run."""
    path = shutil.which("chromium")
    if path is None:
        return MachineFinding(
            CheckState.LACKS,
            "not installed",
            "Only the project's own test of the report needs it: apt-get install chromium",
        )
    return MachineFinding(CheckState.FINE, path)


def allure_page() -> MachineFinding:
    """Whether Allure's own page can be made, which needs Node, npm and Allure."""
    only = "Only `touchstone report --allure` needs it."
    try:
        installed = allure_tool.installed_tool()
    except HarnessError as error:
        return MachineFinding(CheckState.LACKS, error.what, f"{only} {error.hint}")
    if installed is not None:
        return MachineFinding(CheckState.FINE, f"Allure {installed.version}, {installed.node}")
    seen = f"Allure {allure_tool.pinned_version()} is not fetched yet"
    if shutil.which("npm") is None:
        return MachineFinding(
            CheckState.LACKS, f"{seen}, and there is no npm", f"{only} Install npm."
        )
    return MachineFinding(CheckState.LACKS, seen, f"{only} Its first call fetches it (50 MiB).")


CHECKS: Mapping[str, Check] = {
    "Python": python,
    "Platform": this_platform,
    "Embedded broker": embedded_platform,
    "Java": java,
    "Javas of clients": javas_of_clients,
    "Cache folder": cache,
    "Brokers' versions": broker_versions,
    "Java in Python": java_in_python,
    "Starlight for JMS": starlight,
    "Memory": memory,
    "Histories": histories,
    "Containers": containers,
    "Allure's page": allure_page,
    "Chromium": browser,
}


def all_checks() -> Mapping[str, Check]:
    """Every check by its subject, those of each family of brokers last."""
    checks = dict(CHECKS)
    for name in family_names():
        try:
            checks |= family_named(name).checks
        except BrokerError as error:
            checks[f"Brokers of {name}"] = partial(_unusable, name, error)
    return checks


def _unusable(name: str, error: BrokerError) -> MachineFinding:
    state = CheckState.FAILS if name == USUAL else CheckState.LACKS
    return MachineFinding(state, error.what, error.hint)
