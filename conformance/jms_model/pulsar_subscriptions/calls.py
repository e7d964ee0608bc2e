"""The rule of each call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from jms_model.answers import Expectation, succeeds
from jms_model.pulsar_subscriptions import opening, rules
from jms_model.pulsar_subscriptions.cluster import Cluster

BROKER: Final = "broker"
"""On what an administrator's looks are."""


def expect(
    cluster: Cluster, on: str, method: str, args: Sequence[Any] = (), makes: str = ""
) -> Expectation | None:
    """What is permitted of a call on what has the name `on`; None: it makes no sense now.

    What the call gives will have the name `makes`, where it gives an object. On nothing
    factories are made.
    """
    if not on:
        (settings,) = args
        return Expectation([succeeds(lambda: cluster.factories.update({makes: settings}))], [])
    if on == BROKER:
        looks = {"subscriptions": rules.look_at_subscriptions, "lives": rules.look_at_lives}
        return looks[method](cluster, *args) if args else rules.look_at_topics(cluster)
    if on in cluster.factories:
        api, client_id = args
        return rules.connect(cluster, on, api, client_id, makes)
    if consumer := cluster.consumers.get(on):
        rule = {"take": rules.take, "close": rules.close_consumer}[method]
        return rule(cluster, consumer)
    client = cluster.clients.get(on)
    match method:
        case _ if client is None:
            return None
        case "open":
            return opening.open_consumer(cluster, client, *args, makes=makes)
        case "send":
            return rules.send(cluster, client, *args)
        case "close":
            return rules.close_client(cluster, client)
        case "unsubscribe":
            return rules.unsubscribe(client)
    return rules.client_id(client)
