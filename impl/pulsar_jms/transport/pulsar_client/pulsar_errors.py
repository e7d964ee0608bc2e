"""What pulsar-client reports, as the exceptions of JMS, with advice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import _pulsar

from jmsapi import (
    InvalidDestinationException,
    JMSException,
    JMSSecurityException,
    ResourceAllocationException,
)
from pulsar_jms.implements import implements

_SECURITY = (
    _pulsar.AuthenticationError,
    _pulsar.AuthorizationError,
    _pulsar.ErrorGettingAuthenticationData,
)
_DESTINATION = (_pulsar.TopicNotFound, _pulsar.InvalidTopicName)
_ALLOCATION = (
    _pulsar.MemoryBufferIsFull,
    _pulsar.ProducerQueueIsFull,
    _pulsar.TooManyLookupRequestException,
    _pulsar.ConsumerBusy,
    _pulsar.ProducerBusy,
)
_ADVICE: dict[type[Exception], str] = {
    _pulsar.Timeout: "the broker did not answer in time; check that it runs and can be reached",
    _pulsar.ConnectError: "check that the broker runs and can be reached",
    _pulsar.ConsumerBusy: "the subscription admits one consumer and has it, or the topic has as "
    "many as the broker allows (maxConsumersPerTopic); close that first",
    _pulsar.ProducerBusy: "the name of the producer is in use, or the topic has as many producers "
    "as the broker allows (maxProducersPerTopic); close one first",
    _pulsar.SubscriptionNotFound: "the subscription does not exist and the broker may not make it; "
    "create it, or set allowAutoSubscriptionCreation on the broker",
    _pulsar.TopicNotFound: "create the topic, or set allowAutoTopicCreation on the broker",
    _pulsar.AuthorizationError: "grant the client the permission to do this there",
    _pulsar.AuthenticationError: "check authPlugin and authParams",
    _pulsar.MessageTooBig: "the message is larger than the broker's maxMessageSize",
    _pulsar.AlreadyClosed: "it was closed before",
}
OK = int(_pulsar.Result.Ok)
"""As a number: the client's enums compare at three times the cost."""


@implements("JMS-ERR-008", "JMS-SEC-002", "JMS-SEC-003", "SLJ-SUB-030")
def jms_error(error: Exception, what: str) -> JMSException:
    """The JMS exception for an error of the client: what failed, why, and what to do."""
    kind: type[JMSException] = JMSException
    if isinstance(error, _SECURITY):
        kind = JMSSecurityException
    elif isinstance(error, _DESTINATION):
        kind = InvalidDestinationException
    elif isinstance(error, _ALLOCATION):
        kind = ResourceAllocationException
    name = type(error).__name__ if isinstance(error, _pulsar.PulsarException) else str(error)
    advice = _ADVICE.get(type(error))
    translated = kind(f"{what}: {name}" + (f"; {advice}" if advice else ""), type(error).__name__)
    translated.__cause__ = error
    return translated


class Closed:
    """Stands for a native object that was closed, so that nothing keeps that alive."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def refuse(*arguments: object, **options: object) -> Any:
            raise _pulsar.AlreadyClosed

        return refuse


CLOSED = Closed()
