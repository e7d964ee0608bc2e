"""The dialect of RabbitMQ's document, with other decisions."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from pulsar_jms.dialects import DIALECTS
from pulsar_jms.dialects.rabbitmq import RABBITMQ


def as_dialect(**decisions: Any) -> AbstractContextManager[object]:
    """The dialect with other decisions."""
    return patch.dict(DIALECTS, {RABBITMQ.name: replace(RABBITMQ, **decisions)})
