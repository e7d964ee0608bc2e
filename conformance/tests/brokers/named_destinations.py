"""Destinations that are nothing but a name: what tests hand to the harness's views of brokers."""

from __future__ import annotations

from jmsapi import Queue, TemporaryQueue, TemporaryTopic, Topic


class NamedQueue(Queue):
    """A queue by name alone."""

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def queue_name(self) -> str:
        return self._name


class NamedTopic(Topic):
    """A topic by name alone."""

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def topic_name(self) -> str:
        return self._name


class NamedTemporaryQueue(NamedQueue, TemporaryQueue):
    """A temporary queue by name alone."""

    def delete(self) -> None:
        raise AssertionError("nobody here deletes it")


class NamedTemporaryTopic(NamedTopic, TemporaryTopic):
    """A temporary topic by name alone."""

    def delete(self) -> None:
        raise AssertionError("nobody here deletes it")


class Named(Queue, Topic):
    """A queue, and a topic, by name alone."""

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def queue_name(self) -> str:
        return self._name

    @property
    def topic_name(self) -> str:
        return self._name
