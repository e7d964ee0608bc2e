"""What a session of tests says at its end: what the machine lacks, and which brokers it started."""

from __future__ import annotations

from pathlib import Path

import pytest

LACKING = """
import pytest

@pytest.mark.parametrize("n", range(2))
def test_browser(n):
    pytest.skip("no Chromium on this machine; 'apt-get install chromium' brings it")

@pytest.mark.skipif(True, reason="no rabbitmq-server: install the package")
def test_broker():
    pass

def test_one():
    pass
"""
STARTING = """
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.brokers.starts import note

def test_broker():
    note(BrokerAddress("echo://127.0.0.1:7", "", "plain", "embedded", "", "echo"), 1.2)
"""


@pytest.fixture(autouse=True)
def found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes of pytest find the plug-in, and their starts are not those of this session."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    monkeypatch.delenv("TOUCHSTONE_STARTS", raising=False)


@pytest.mark.parametrize("options", [(), ("-n", "2")])
@pytest.mark.parametrize(("ci", "status"), [("", 0), ("true", 1)])
def test_what_was_not_tested_is_said_with_what_brings_it_and_fails_in_ci_alone(
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
    ci: str,
    status: int,
) -> None:
    monkeypatch.setenv("CI", ci)
    pytester.makepyfile(LACKING)

    done = pytester.runpytest_subprocess("-p", "session_summary", *options)

    done.stdout.fnmatch_lines(
        [
            "*= not tested on this machine =*",
            "    2 tests: no Chromium on this machine; 'apt-get install chromium' brings it",
            "    1 test: no rabbitmq-server: install the package",
        ]
    )
    assert ("CI is set" in done.stdout.str()) is bool(ci)
    assert done.ret == status


def test_nothing_lacking_is_nothing_said_and_brokers_are_counted(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")
    pytester.makepyfile(STARTING)

    done = pytester.runpytest_subprocess("-p", "session_summary", "-n", "1")

    assert done.ret == 0
    assert "not tested" not in done.stdout.str()
    done.stdout.fnmatch_lines(["1 broker start (1 echo plain): 1 s, 0 s of CPU"])
