"""The configuration of a Broker-J for tests, as data (Broker-J manual, "Initial Configuration").

A queue is made when a client names it. A topic is a routing key at the exchange `amq.topic`: the
broker tells so to whoever connects (`topic-prefix`), and Qpid JMS puts it before the names of
topics. An exchange of its own for each topic the broker makes for senders alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from jms_brokers.brokers.limits import NONE, Limits, given_settings
from jms_brokers.brokers.profiles import NOBODY

TOPICS = "amq.topic"
"""The exchange of topics."""
DEAD_LETTERS = "DLQ"
_NO_TEMPORARY_NAME = "(?!Temp(Queue|Topic)).*"
"""A temporary destination is made by its connection alone, and gone when that is."""
_USERS = "users"
Settings = dict[str, object]


def initial_config(
    name: str,
    data: Path,
    host: str,
    port: int,
    passwords: Mapping[str, str] | None = None,
    limits: Limits = NONE,
) -> str:
    """Return the `initial-config.json` of a broker that keeps its data in the folder `data`.

    With `passwords`, by user, it asks who a client is, and lets NOBODY log in and no more.
    """
    broker: Settings = {
        "name": name,
        "modelVersion": "9.1",
        "context": _context(limits),
        "authenticationproviders": [_users(passwords)],
        "accesscontrolproviders": [_rights()] if passwords else [],
        "ports": [_port(host, port, limits)],
        "virtualhostnodes": [
            {
                "name": name,
                "type": "JSON",
                "defaultVirtualHostNode": True,
                "storePath": str(data / "host"),
                "virtualHostInitialConfiguration": json.dumps(_virtual_host(name, data)),
            }
        ],
    }
    return json.dumps(broker, indent=2)


def _context(limits: Limits) -> Settings:
    """What holds for every queue and port. Expired messages are looked for five times a second.

    Dead letters are those that a client rejects. The number of deliveries is not limited: when a
    consumer is closed the broker counts one for each message that was sent ahead to it.
    """
    return {
        "qpid.port.connection_property_enrichers": json.dumps(["STANDARD", "SUPPLIED-MAP"]),
        "qpid.connection.property_map": json.dumps({"topic-prefix": f"{TOPICS}/"}),
        "virtualhost.housekeepingCheckPeriod": 200,
        "queue.holdOnPublishEnabled": True,
        "queue.defaultAlternateBinding": json.dumps({"destination": DEAD_LETTERS}),
        **given_settings(**{"queue.maximumMessageTtl": limits.time_to_live}),
        **given_settings(**{"qpid.port.sessionCountLimit": limits.each}),
    }


def _users(passwords: Mapping[str, str] | None) -> Settings:
    if not passwords:
        return {"name": _USERS, "type": "Anonymous"}
    users = [
        {"name": user, "type": "managed", "password": password}
        for user, password in passwords.items()
    ]
    return {"name": _USERS, "type": "Plain", "secureOnlyMechanisms": [], "users": users}


def _rights() -> Settings:
    rules = [
        _rule(NOBODY, "VIRTUALHOST", "ACCESS", "ALLOW"),
        _rule(NOBODY, "ALL", "ALL", "DENY"),
        _rule("ALL", "ALL", "ALL", "ALLOW"),
    ]
    return {"name": "rights", "type": "RuleBased", "rules": rules}


def _rule(identity: str, what: str, operation: str, outcome: str) -> Settings:
    return {
        "identity": identity,
        "objectType": what,
        "operation": operation,
        "attributes": {},
        "outcome": outcome,
    }


def _port(host: str, port: int, limits: Limits) -> Settings:
    return {
        "name": "AMQP",
        "port": port,
        "bindingAddress": host,
        "protocols": ["AMQP_1_0"],
        "authenticationProvider": _USERS,
        "virtualhostaliases": [{"name": "hostnameAlias", "type": "hostnameAlias"}],
        **given_settings(maxOpenConnections=limits.connections),
    }


def _virtual_host(name: str, data: Path) -> Settings:
    """It stores in Berkeley DB, as the product's own image does.

    In Derby two durable subscriptions that are made at once wait for each other, and one of them
    is refused after twenty seconds: a link is looked up and saved in a serializable transaction.
    """
    return {
        "type": "BDB",
        "name": name,
        "storePath": str(data / "messages"),
        "nodeAutoCreationPolicies": [
            _rule_for_new(DEAD_LETTERS, {"alternateBinding": ""}),
            _rule_for_new(_NO_TEMPORARY_NAME, {"type": "priority"}),
        ],
    }


def _rule_for_new(pattern: str, attributes: Mapping[str, str]) -> Settings:
    return {
        "pattern": pattern,
        "nodeType": "Queue",
        "attributes": attributes,
        "createdOnPublish": True,
        "createdOnConsume": True,
    }
