"""An engine is needed for these tests, and nothing of theirs may be left in it."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from jms_brokers.brokers import container_engine, container_ownership
from jms_brokers.brokers.container_engine import asking


@pytest.fixture(autouse=True)
def nothing_left_behind() -> Iterator[None]:
    """Fails a test that leaves a container of this process."""
    yield
    assert remaining_containers(container_ownership.owner_of(os.getpid())) == []


def remaining_containers(owner: str) -> list[str]:
    """The names of the containers of `owner`."""
    with asking("list the containers"):
        engine = container_engine.client()
        try:
            label = f"{container_ownership.OWNER}={owner}"
            left = engine.containers.list(all=True, filters={"label": label}, ignore_removed=True)
            return [str(each.name) for each in left]
        finally:
            engine.close()
