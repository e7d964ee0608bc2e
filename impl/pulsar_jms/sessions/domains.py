"""Sessions of the older API, for queues alone and for topics alone (JMS 2.0, section 9.2)."""

from __future__ import annotations

from typing import Any

from jmsapi import IllegalStateException
from pulsar_jms.implements import implements
from pulsar_jms.sessions.session import PulsarSession


def _refused(call: str, domain: str) -> Any:
    def refuse(session: PulsarSession, *args: object, **options: object) -> None:
        session.check_open()
        raise IllegalStateException(
            f"{call}() is not for a session of {domain} alone; use create_session()"
        )

    return refuse


@implements("JMS-ERR-012", "JMS-ERR-016..022")
class PulsarQueueSession(PulsarSession):
    """A session for queues alone: what is for topics raises `IllegalStateException`."""

    create_durable_subscriber = _refused("create_durable_subscriber", "queues")
    create_durable_consumer = _refused("create_durable_consumer", "queues")
    create_shared_consumer = _refused("create_shared_consumer", "queues")
    create_shared_durable_consumer = _refused("create_shared_durable_consumer", "queues")
    create_temporary_topic = _refused("create_temporary_topic", "queues")
    create_topic = _refused("create_topic", "queues")
    unsubscribe = _refused("unsubscribe", "queues")


@implements("JMS-ERR-012", "JMS-ERR-023..025")
class PulsarTopicSession(PulsarSession):
    """A session for topics alone: what is for queues raises `IllegalStateException`."""

    create_browser = _refused("create_browser", "topics")
    create_queue = _refused("create_queue", "topics")
    create_temporary_queue = _refused("create_temporary_queue", "topics")
