"""A standalone Spark cluster of the PySpark package: a master and workers on the loopback address.

Its processes end with the block, and with this process if that dies before.
"""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pyspark

from jms_histories.engines.spark.java import java_home
from jvm_runtime import child
from jvm_runtime.launch import temporary_files_in

READY_WITHIN = 180.0
LOOPBACK = "127.0.0.1"
LEAN = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
"""For daemons and executors: a JVM that lives for seconds spends most of them on optimizing."""
_HOME = Path(pyspark.__file__).parent


@dataclass
class Cluster:
    """Where the master is; the processes, by name; the folder of the workers' files."""

    folder: Path
    master: str = ""
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def start(self, name: str, main: str, *arguments: str, **variables: str) -> None:
        """Starts one daemon of Spark, its output in NAME.log."""
        environment = {
            **os.environ,
            "JAVA_HOME": str(java_home()),
            "SPARK_LOCAL_IP": LOOPBACK,
            "SPARK_DAEMON_MEMORY": "256m",
            "JAVA_TOOL_OPTIONS": " ".join((LEAN, *temporary_files_in(self.folder))),
            "SPARK_DAEMON_JAVA_OPTS": LEAN,
            **variables,
        }
        self.processes[name] = child.spawn(
            ["/bin/bash", str(_HOME / "bin" / "spark-class"), main, *arguments],
            folder=self.folder,
            log=self.folder / f"{name}.log",
            environment=environment,
        )

    def says(self, name: str, pattern: str) -> str:
        """Waits until the log of a daemon matches; gives the first group."""
        log = self.folder / f"{name}.log"
        deadline = time.monotonic() + READY_WITHIN
        while True:
            text = log.read_text(errors="replace") if log.exists() else ""
            match = re.search(pattern, text)
            if match:
                return match[1]
            assert self.processes[name].poll() is None, f"{name} ended:\n{text[-2000:]}"
            assert time.monotonic() < deadline, f"{name} says nothing of {pattern}:\n{text[-2000:]}"
            time.sleep(0.05)

    def close(self) -> None:
        """Ends workers, which end their executors, and the master."""
        for process in reversed(self.processes.values()):
            process.terminate()
        for process in self.processes.values():
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextmanager
def cluster(folder: Path, *, workers: int, **variables: str) -> Iterator[Cluster]:
    """A cluster of workers with one core each; variables are added to the workers' environment."""
    folder.mkdir(parents=True, exist_ok=True)
    made = Cluster(folder)
    try:
        made.start(
            "master",
            "org.apache.spark.deploy.master.Master",
            *("--host", LOOPBACK, "--port", "0", "--webui-port", "0"),
        )
        made.master = made.says("master", r"Starting Spark master at (spark://\S+)")
        for number in range(1, workers + 1):
            made.start(
                f"worker-{number}",
                "org.apache.spark.deploy.worker.Worker",
                *("--host", LOOPBACK, "--webui-port", "0", "--cores", "1", "--memory", "2g"),
                *("--work-dir", str(folder / f"work-{number}"), made.master),
                **variables,
            )
        for number in range(1, workers + 1):
            made.says(f"worker-{number}", r"(Successfully registered with master)")
        yield made
    finally:
        made.close()
