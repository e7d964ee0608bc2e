"""Destinations (JMS 2.0, section 4.2)."""

from __future__ import annotations

from abc import ABC, abstractmethod


class Destination(ABC):  # noqa: B024 (queue and topic share nothing but the kind)
    """Where messages are sent to and consumed from."""


class Queue(Destination):
    """A destination whose messages go to one consumer each."""

    @property
    @abstractmethod
    def queue_name(self) -> str:
        """The provider's name of this queue."""
        ...


class Topic(Destination):
    """A destination whose messages go to every subscription."""

    @property
    @abstractmethod
    def topic_name(self) -> str:
        """The provider's name of this topic."""
        ...


class TemporaryQueue(Queue):
    """A queue that lives as long as its connection."""

    @abstractmethod
    def delete(self) -> None:
        """Delete the queue; `JMSException` while it has consumers."""
        ...


class TemporaryTopic(Topic):
    """A topic that lives as long as its connection."""

    @abstractmethod
    def delete(self) -> None:
        """Delete the topic; `JMSException` while it has consumers."""
        ...
