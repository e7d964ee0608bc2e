"""Temporary destinations of both kinds, for scenarios that ask the same of each."""

from __future__ import annotations

from typing import Any

import pytest

from jmsapi import Session, TemporaryQueue, TemporaryTopic
from touchstone.api import requirement


def temporary_queue(session: Session) -> TemporaryQueue:
    """A new temporary queue of the session's connection."""
    return session.create_temporary_queue()


def temporary_topic(session: Session) -> TemporaryTopic:
    """A new temporary topic of the session's connection."""
    return session.create_temporary_topic()


def name_of(destination: Any) -> str:
    """The name of a queue or topic."""
    name: str = getattr(destination, "queue_name", None) or destination.topic_name
    return name


both = pytest.mark.parametrize(
    "make",
    [pytest.param(temporary_queue, id="queue"), pytest.param(temporary_topic, id="topic")],
)
"""One statement for both kinds: the scenario's `make` makes one of a session."""


def each_kind(queue: str, topic: str) -> pytest.MarkDecorator:
    """As `both`, where each kind has a statement of its own: their ids."""
    return pytest.mark.parametrize(
        "make",
        [
            pytest.param(temporary_queue, marks=requirement(queue), id="queue"),
            pytest.param(temporary_topic, marks=requirement(topic), id="topic"),
        ],
    )
