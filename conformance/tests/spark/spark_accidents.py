"""Accidents that happen to a real job of Spark: in the Python of its workers, when they judge.

A job is told which Python its workers have. Ours is the same one, but in it something happens in
the middle of a task, when it has whole messages together and is about to judge them.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

KILLED: Final = "os.kill(os.getpid(), signal.SIGKILL)"
"""The worker dies as the kernel lets it die when the machine has no memory left."""
JAVA_KILLED: Final = "os.kill(java(), signal.SIGKILL)"
"""Spark's Java process dies, and the worker looks on."""
NO_MEMORY: Final = """
    mine = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (mine + (64 << 20), mine + (64 << 20)))
    numpy.ones(1 << 28)
"""
"""The worker asks for two gibibytes more and may have 64 mebibytes."""

_CUSTOMIZED: Final = """
import os, resource, signal
import numpy
from jms_histories.engines.spark import stages

def java():
    pid = os.getpid()
    while open(f'/proc/{{pid}}/comm').read().strip() != 'java':
        pid = int(open(f'/proc/{{pid}}/stat').read().rpartition(')')[2].split()[1])
    return pid

def accident(sends, deliveries, spec):
    {accident}
    return judge(sends, deliveries, spec)

judge, stages.judge_messages = stages.judge_messages, accident
"""


def python_with(accident: str, folder: Path) -> Path:
    """A Python for PYSPARK_PYTHON in which this happens before the first messages are judged."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(_CUSTOMIZED.format(accident=accident.strip()))
    python = folder / "python"
    python.write_text(
        f"#!/bin/sh\nPYTHONPATH='{folder}':\"$PYTHONPATH\" exec '{sys.executable}' \"$@\"\n"
    )
    python.chmod(0o755)
    return python
