"""A JVM inside this Python process, through JPype: one for the life of the process."""

from __future__ import annotations

import atexit
import faulthandler
import os
import sys
import threading
from pathlib import Path

from jvm_runtime import fetch, javas, locks
from jvm_runtime.jre import Jre
from jvm_runtime.jvm_errors import JavaError
from jvm_runtime.launch import temporary_files_in
from jvm_runtime.own_folders import OwnFolder
from jvm_runtime.progress import Progress, quiet

_OPENED = ("java.lang", "java.lang.reflect", "java.nio", "jdk.internal.misc", "sun.net")
_OPTIONS = (
    "-Xmx256m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Xrs",  # signals are Python's
    "-XX:+DisableAttachMechanism",  # with -Xrs its socket is there from the start, and stays
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dio.netty.leakDetectionLevel=disabled",
    "-Djava.net.preferIPv4Stack=true",
    "-Dslf4j.internal.verbosity=ERROR",
    "-XX:-CreateCoredumpOnCrash",
)
_DUMPED_WITHIN = 15.0

_lock = threading.Lock()
_started_in: int | None = None
"""The process whose JVM runs; a forked child has the Python half of it only."""


_crash_log: Path | None = None


def keep_crash_log(file: Path) -> None:
    """Have a JVM that starts in this process from now on write there how it crashed, if it does.

    By default it writes to the folder that the process is in.
    """
    global _crash_log
    _crash_log = file


def library(runtime: Jre) -> Path:
    """The library of the Java that can run inside Python; raises JavaError where it has none."""
    found = javas.library(runtime.java)
    if not found.is_file():
        raise JavaError(
            f"{runtime.java} cannot run inside Python: there is no {found}",
            hint="Name a whole Java runtime with TOUCHSTONE_JAVA, or unset it",
        )
    return found


def start(program: str, java: Jre | None = None, *, show: Progress = quiet) -> None:
    """Have a JVM run in this process with the jars of the lock `program`.

    It is of `java`, by default of the one for clients (`javas.for_client`). Where one runs already
    it stays as it is, with the jars it was started with. It ends with the process and does not keep
    that alive, as does the folder of its temporary files. Raises `JavaError` without a Java or
    after a fork, and other `JvmRuntimeError` when the Java or the jars cannot be had or the folder
    cannot be made.
    """
    global _started_in
    with _lock:
        if _started_in not in (None, os.getpid()):
            raise JavaError(
                "A JVM ran in this process before it was forked, and did not survive that",
                hint="Start processes afresh (multiprocessing: the method spawn), or fork before "
                "anything uses Java",
            )
        import jpype
        import jpype.config

        if not jpype.isJVMStarted():
            jpype.config.destroy_jvm = False  # it would wait for every Java thread to end
            # Java asks whoever handled faults before it, and writes no crash log when asked.
            faulthandler.disable()
            java = java or javas.for_client()
            jpype.startJVM(
                str(library(java)),
                *_options(java),
                *temporary_files_in(OwnFolder("jvm").path),
                *([] if _crash_log is None else [f"-XX:ErrorFile={_crash_log}"]),
                classpath=[str(jar) for jar in fetch.fetch(locks.load(program), progress=show)],
                interrupt=False,
            )
            atexit.register(_stop_freeing)
        _started_in = os.getpid()


def stacks() -> str:
    """What every thread of the JVM in this process is doing; empty where none runs."""
    jpype = sys.modules.get("jpype")
    if jpype is None or _started_in != os.getpid() or not jpype.isJVMStarted():
        return ""
    traces: list[str] = []

    def dump() -> None:
        for entry in jpype.JClass("java.lang.Thread").getAllStackTraces().entrySet():
            thread = entry.getKey()
            about = f'"{thread.getName()}" {thread.getState()}'
            lines = "".join(f"    at {frame}\n" for frame in entry.getValue())
            traces.append(f"--- Java thread {about}\n{lines}")

    dumping = threading.Thread(target=dump, name="Java's threads", daemon=True)
    dumping.start()
    dumping.join(_DUMPED_WITHIN)
    late = "--- Java's threads could not all be asked in time\n" if dumping.is_alive() else ""
    return late + "\n".join(list(traces))


def leave_thread() -> None:
    """Take the calling thread out of the JVM, where a call of Java has brought it in.

    JPype does not do so when a Python thread ends: the JVM then keeps it, and all that Java has
    stored for it, as long as the process lives.
    """
    if _started_in != os.getpid():
        return
    import jpype

    thread = jpype.JClass("java.lang.Thread")
    if thread.isAttached():
        thread.detach()


def _stop_freeing() -> None:
    """End JPype's thread that frees Python objects: it aborts where the interpreter is gone."""
    import jpype

    if _started_in == os.getpid() and jpype.isJVMStarted():
        jpype.JClass("org.jpype.ref.JPypeReferenceQueue").getInstance().stop()


def _options(runtime: Jre) -> tuple[str, ...]:
    opened = tuple(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED)
    newer = ("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow")
    return (*opened, *(newer if runtime.major >= 24 else ()), *_OPTIONS)
