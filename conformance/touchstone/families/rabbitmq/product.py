"""RabbitMQ by name."""

from __future__ import annotations

NAME = "rabbitmq"
