"""The Java command line of an embedded Pulsar broker."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from jms_brokers.families.pulsar.blueprint import HOST
from jvm_runtime import fetch, jre, locks, progress
from jvm_runtime.launch import JavaCommand, temporary_files_in

_OPENED = (
    "java.base/java.io",
    "java.base/java.lang",
    "java.base/java.net",
    "java.base/java.nio",
    "java.base/java.util",
    "java.base/java.util.zip",
    "java.base/jdk.internal.loader",
    "java.base/jdk.internal.misc",
    "java.base/jdk.internal.platform",
    "java.base/sun.net",
    "java.base/sun.nio.ch",
    "java.management/sun.management",
    "jdk.management/com.sun.management.internal",
)
_JVM_OPTIONS = (
    # A whole catalogue with drawn programs leaves thousands of topics: with half of this the broker
    # collected garbage and did nothing else.
    "-Xmx512m",
    "-XX:MaxDirectMemorySize=192m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    # With this compiler the usual 48 MB fill up soon, and full collections stop the broker.
    "-XX:ReservedCodeCacheSize=128m",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dio.netty.leakDetectionLevel=disabled",
    "-Djava.net.preferIPv4Stack=true",
    "-Dlog4j.configurationFile=log4j2.yaml",
)


def command(lock: str, offline: bool, show: progress.Progress) -> JavaCommand:
    """Return the command of the broker in `lock`, without data folder; fetch what is missing.

    Raises JvmRuntimeError.
    """
    runtime = jre.find_jre()
    opened = tuple(f"--add-opens={package}=ALL-UNNAMED" for package in _OPENED)
    newer = (
        ("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow")
        if runtime.major >= 24
        else ()
    )
    return JavaCommand(
        jre=runtime,
        options=(*opened, *newer, *_JVM_OPTIONS),
        class_path=fetch.fetch(locks.load(lock), offline=offline, progress=show),
        main="org.apache.pulsar.PulsarStandaloneStarter",
    )


def command_on_data(command: JavaCommand, folder: Path) -> JavaCommand:
    """Return `command` for the broker whose configuration and data are in `folder`.

    Its temporary files are there too, so that they go with it.
    """
    data = folder / "data"
    return replace(
        command.with_options(*temporary_files_in(folder)),
        arguments=(
            *("--config", "standalone.conf", "--no-functions-worker", "--no-stream-storage"),
            *("--advertised-address", HOST, "--bookkeeper-port", "0"),
            *("--bookkeeper-dir", str(data / "bookkeeper")),
            *("--metadata-dir", str(data / "metadata")),
        ),
    )
