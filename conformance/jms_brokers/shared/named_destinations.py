"""Destinations that are nothing but a name: what probes of brokers are asked about."""

from __future__ import annotations

from jmsapi import Queue, Topic


class NamedQueue(Queue):
    """A queue by name alone."""

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def queue_name(self) -> str:
        """The name."""
        return self._name


class NamedTopic(Topic):
    """A topic by name alone."""

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def topic_name(self) -> str:
        """The name."""
        return self._name
