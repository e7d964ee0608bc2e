"""What a RabbitMQ node loads when it starts, as data: users with their rights, and limits.

ADMIN and CLIENT may do everything in the virtual host, NOBODY may enter it (RabbitMQ, "Access
control").
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from jms_brokers.brokers.limits import NONE, Limits
from jms_brokers.brokers.profiles import NOBODY

_HOST = "/"
_ALL, _NOTHING = ".*", "^$"


def definitions(passwords: Mapping[str, str], limits: Limits = NONE) -> bytes:
    """Users and permissions, instead of the node's default user, and limits."""
    users = [
        {"name": user, "password": password, "tags": ""} for user, password in passwords.items()
    ]
    permissions = [
        {"user": user, "vhost": _HOST, **dict.fromkeys(("configure", "write", "read"), pattern)}
        for user, pattern in ((user, _NOTHING if user == NOBODY else _ALL) for user in passwords)
    ]
    accounts = {"vhosts": [{"name": _HOST}], "users": users, "permissions": permissions}
    return json.dumps({**accounts, **_limit_definitions(limits)}).encode()


def settings(file: str, limits: Limits = NONE) -> str:
    """The lines of rabbitmq.conf by which a node loads the definitions in `file`, and limits."""
    return f"load_definitions = {file}\n" + (
        f"channel_max = {limits.each}\n" if limits.each else ""
    )


def _limit_definitions(limits: Limits) -> dict[str, object]:
    """The definitions that limit connections, and how long messages live."""
    loaded: dict[str, object] = {}
    if limits.connections is not None:
        value = {"max-connections": limits.connections}
        limit = {"vhost": _HOST, "component": "vhost-limits", "name": "limits", "value": value}
        loaded["parameters"] = [limit]
    if limits.time_to_live is not None:
        policy = {"pattern": ".*", "apply-to": "queues", "priority": 0}
        definition = {"message-ttl": limits.time_to_live}
        loaded["policies"] = [
            {"vhost": _HOST, "name": "limits", **policy, "definition": definition}
        ]
    return loaded
