"""Whether a provider in Java can run here: a Java, and its jars."""

from __future__ import annotations

import mmap
import threading
import zipfile
from collections.abc import Iterable
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Final

from jms_clients.errors import ProviderError
from jvm_runtime import fetch, in_process, javas, locks, progress
from jvm_runtime.javas import ANY, JavaRange
from jvm_runtime.jvm_errors import JvmRuntimeError, OfflineError

NAMESPACES: Final = ("jakarta.jms", "javax.jms")
_lock = threading.Lock()
_running = ""
"""The program whose jars the JVM of this process was started with for a provider."""


def obstacle(program: str, wanted: JavaRange = ANY) -> str:
    """Why clients with the jars of the lock `program`, which run on the Javas `wanted`, cannot run
    here; empty when they can.

    A Java or jars that are missing are no obstacle: the first run fetches them, unless that is
    forbidden.
    """
    try:
        with suppress(OfflineError) if not fetch.is_offline_wanted() else nullcontext():
            in_process.library(javas.for_client(wanted, offline=True))
        lock = locks.load(program)
        if fetch.is_offline_wanted():
            fetch.fetch(lock, offline=True)
    except JvmRuntimeError as error:
        return f"{error.message}: {error.hint}"
    return ""


def prepare(name: str, program: str, wanted: JavaRange = ANY, *, offline: bool = False) -> None:
    """Have what the provider `name` needs, a Java of `wanted` and the jars of the lock `program`;
    fetch what is missing.

    `ProviderError` says what is lacking and what to do.
    """
    try:
        in_process.library(javas.for_client(wanted, offline=offline, progress=progress.on_stderr))
        jars = fetch.fetch(locks.load(program), offline=offline, progress=progress.on_stderr)
    except JvmRuntimeError as error:
        raise ProviderError(
            f"The provider {name} cannot run here: {error.message}", hint=error.hint
        ) from error
    namespace_of(name, jars)


def start(name: str, program: str, wanted: JavaRange = ANY) -> None:
    """Have a JVM of `wanted` run in this process with the jars of `program`; `ProviderError`
    without one.
    """
    global _running
    with _lock:
        if _running not in ("", program):
            raise ProviderError(
                f"The provider {name} cannot run in this process: its JVM runs {_running}",
                hint="A process has one JVM, and that the jars of one client: judge each in a run"
                " of its own.",
            )
        try:
            in_process.start(program, javas.for_client(wanted))
        except JvmRuntimeError as error:
            raise ProviderError(
                f"The provider {name} cannot run here: {error.message}", hint=error.hint
            ) from error
        _running = program


def namespace_of(name: str, jars: Iterable[Path]) -> str | None:
    """The namespace of the JMS that the jars of `name` bring; None without any.

    `ProviderError` when they bring both: a message of the one is none of the other.
    """
    jar_of: dict[str, Path] = {}
    for jar in jars:
        for namespace in namespaces_in(jar):
            jar_of.setdefault(namespace, jar)
    if len(jar_of) > 1:
        where = " and ".join(f"{namespace} ({jar.name})" for namespace, jar in jar_of.items())
        raise ProviderError(
            f"The class path of {name} has JMS twice: {where}",
            hint="Leave out the API that the client does not use; a client of each namespace needs"
            " a lock of its own.",
        )
    return next(iter(jar_of), None)


def namespaces_in(jar: Path) -> tuple[str, ...]:
    """The namespaces whose `Message` the jar brings; `ProviderError` when it is no jar.

    Only a jar that has such a name somewhere is read entry by entry, which takes a while.
    """
    try:
        if not zipfile.is_zipfile(jar):
            raise zipfile.BadZipFile("File is not a zip file")
        with (
            jar.open("rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content,
        ):
            namespaces = [
                each for each in NAMESPACES if content.find(_message_of(each).encode()) >= 0
            ]
        if not namespaces:
            return ()
        with zipfile.ZipFile(jar) as entries:
            names = set(entries.namelist())
    except (OSError, zipfile.BadZipFile) as error:
        raise ProviderError(
            f"{jar} is no jar: {error}", hint="Remove it; it is fetched again, and checked."
        ) from error
    return tuple(each for each in namespaces if _message_of(each) in names)


def _message_of(namespace: str) -> str:
    return f"{namespace.replace('.', '/')}/Message.class"
