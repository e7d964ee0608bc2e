"""What all tests of the project share: how Hypothesis runs, and a real broker."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from jms_brokers.brokers.interface import BrokerAddress

# No test judges the time that it takes: a loaded machine must not make one fail.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


def _is_of_the_project(config: pytest.Config) -> bool:
    """Whether this is a session of the project's tests: runs of scenarios come here, too."""
    return config.inipath == Path(__file__).with_name("pyproject.toml")


def pytest_configure(config: pytest.Config) -> None:
    """Have the session summed up."""
    if _is_of_the_project(config):
        import session_summary

        config.pluginmanager.register(session_summary, "session_summary")


@pytest.hookimpl(optionalhook=True, wrapper=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> Generator[None, int, int]:
    """With `-n auto` three tests run on two processors: a third of their time they wait."""
    from touchstone.pytest_plugin import workers_that_wait

    processors = yield
    return workers_that_wait(processors, 1.5) if _is_of_the_project(config) else processors


@pytest.fixture(scope="session")
def pulsar() -> Iterator[BrokerAddress]:
    """The address of an embedded Pulsar broker (profile `plain`), one per test process."""
    from jms_brokers.shared.settings import BrokerSettings
    from touchstone.brokers.broker_set import BrokerSet

    with BrokerSet(BrokerSettings()) as brokers:
        yield brokers.address("plain")


@pytest.fixture(scope="module")
def guarded() -> Iterator[BrokerAddress]:
    """The address of an embedded Pulsar broker that wants tokens (profile `auth`)."""
    from jms_brokers.shared.settings import BrokerSettings
    from touchstone.brokers.broker_set import BrokerSet

    with BrokerSet(BrokerSettings()) as brokers:
        yield brokers.address("auth")
