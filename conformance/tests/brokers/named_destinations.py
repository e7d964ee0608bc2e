"""Destinations that are nothing but a name: what tests hand to the harness's views of brokers."""

from __future__ import annotations

from jms_brokers.shared.named_destinations import NamedQueue, NamedTopic
from jmsapi import TemporaryQueue, TemporaryTopic


class NamedTemporaryQueue(NamedQueue, TemporaryQueue):
    """A temporary queue by name alone."""

    def delete(self) -> None:
        raise AssertionError("nobody here deletes it")


class NamedTemporaryTopic(NamedTopic, TemporaryTopic):
    """A temporary topic by name alone."""

    def delete(self) -> None:
        raise AssertionError("nobody here deletes it")


class Named(NamedQueue, NamedTopic):
    """A queue, and a topic, by name alone."""
