"""RabbitMQ by name."""

from __future__ import annotations

NAME = "rabbitmq"
ADMINISTRATION = "container"
"""The scheme of an `admin_url` that names a container and the node in it."""
