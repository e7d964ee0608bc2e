"""What all tests of the project share: how Hypothesis runs, a real broker, and what starts cost."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

    from touchstone.brokers.interface import BrokerAddress

STARTS = "starts.jsonl"
_FOLDER = pytest.StashKey[Path]()

# No test judges the time that it takes: a loaded machine must not make one fail.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


def pytest_configure(config: pytest.Config) -> None:
    """Have the starts of brokers noted, of every process of the session."""
    if hasattr(config, "workerinput"):
        return
    from touchstone.brokers.starts import noted_in

    folder = tempfile.TemporaryDirectory(prefix="touchstone-tests-")
    config.add_cleanup(folder.cleanup)
    noting = noted_in(Path(folder.name, STARTS))
    noting.__enter__()
    config.add_cleanup(lambda: noting.__exit__(None, None, None))
    config.stash[_FOLDER] = Path(folder.name)


def pytest_terminal_summary(terminalreporter: TerminalReporter, config: pytest.Config) -> None:
    """Say how many brokers the session started."""
    from touchstone.brokers.starts import describe_starts, read_starts

    if said := describe_starts(read_starts(config.stash[_FOLDER] / STARTS)):
        terminalreporter.write_line(said)


@pytest.fixture(scope="session")
def pulsar() -> Iterator[BrokerAddress]:
    """The address of an embedded Pulsar broker (profile `plain`), one per test process."""
    from touchstone.families.broker_set import BrokerSet
    from touchstone.families.settings import BrokerSettings

    with BrokerSet(BrokerSettings()) as brokers:
        yield brokers.address("plain")


@pytest.fixture(scope="module")
def guarded() -> Iterator[BrokerAddress]:
    """The address of an embedded Pulsar broker that wants tokens (profile `auth`)."""
    from touchstone.families.broker_set import BrokerSet
    from touchstone.families.settings import BrokerSettings

    with BrokerSet(BrokerSettings()) as brokers:
        yield brokers.address("auth")
