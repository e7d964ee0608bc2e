"""What the Java Pulsar client throws, as the exceptions of JMS, with advice."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from jmsapi import (
    InvalidDestinationException,
    JMSException,
    JMSSecurityException,
    ResourceAllocationException,
    TransactionRolledBackException,
)
from pulsar_jms.implements import implements

_KINDS: dict[str, type[JMSException]] = {
    "AuthenticationException": JMSSecurityException,
    "AuthorizationException": JMSSecurityException,
    "GettingAuthenticationDataException": JMSSecurityException,
    "TopicDoesNotExistException": InvalidDestinationException,
    "NotFoundException": InvalidDestinationException,
    "InvalidTopicNameException": InvalidDestinationException,
    "MemoryBufferIsFullError": ResourceAllocationException,
    "ProducerQueueIsFullError": ResourceAllocationException,
    "TooManyRequestsException": ResourceAllocationException,
    "ConsumerBusyException": ResourceAllocationException,
    "ProducerBusyException": ResourceAllocationException,
}
_ADVICE = {
    "TimeoutException": "the broker did not answer in time; check that it runs and can be reached",
    "ConnectException": "check that the broker runs and can be reached",
    "ConsumerBusyException": "the subscription admits one consumer and has it, or the topic has as "
    "many as the broker allows (maxConsumersPerTopic); close that first",
    "ProducerBusyException": "the name of the producer is in use, or the topic has as many "
    "producers as the broker allows (maxProducersPerTopic); close one first",
    "SubscriptionNotFoundException": "the subscription does not exist and the broker may not make "
    "it; create it, or set allowAutoSubscriptionCreation on the broker",
    "TopicDoesNotExistException": "create the topic, or set allowAutoTopicCreation on the broker",
    "NotFoundException": "create the topic, or set allowAutoTopicCreation on the broker",
    "AuthorizationException": "grant the client the permission to do this there",
    "AuthenticationException": "check authPlugin and authParams",
    "InvalidMessageException": "the message may be larger than the broker's maxMessageSize",
    "AlreadyClosedException": "it was closed before",
    "CoordinatorNotFoundException": "set transactionCoordinatorEnabled on the broker",
    "TransactionConflictException": "another transaction acknowledged the message first",
}
_NOT_COMMITTED = frozenset(
    {
        "InvalidTxnStatusException",
        "TransactionHasOperationFailedException",
        "TransactionConflictException",
        "TransactionNotFoundException",
    }
)
"""After these errors of a commit the broker has not committed and will not."""
_WRAPPERS = frozenset({"ExecutionException", "CompletionException"})


@implements("JMS-ERR-008", "JMS-SEC-002", "JMS-SEC-003", "SLJ-SUB-030")
def jms_error(error: Any, what: str) -> JMSException:
    """The JMS exception for a Java one: what failed, why, and what to do."""
    root = unwrapped(error)
    name = error_name(root)
    kind = _KINDS.get(name, JMSException)
    advice = _ADVICE.get(name)
    translated = kind(f"{what}: {name}{_text(root)}" + (f"; {advice}" if advice else ""), name)
    translated.__cause__ = error
    return translated


def commit_error(error: Any) -> JMSException:
    """What a failed commit means: rolled back, or nobody knows."""
    root = unwrapped(error)
    name = error_name(root)
    text = f"{name}{_text(root)}"
    translated: JMSException
    if name in _NOT_COMMITTED:
        translated = TransactionRolledBackException(
            f"The broker did not commit: {text}; nothing was sent or acknowledged, and what was "
            "received comes again",
            name,
        )
    else:
        translated = JMSException(
            f"Whether the broker committed is unknown: {text}; if it did not, it rolls back when "
            "the transaction's time is over, and what was received comes again",
            name,
        )
    translated.__cause__ = error
    return translated


def unwrapped(error: Any) -> Any:
    """The error without what futures wrap round it; a wrapping `PulsarClientException` as well."""
    while hasattr(error, "getCause"):
        cause = error.getCause()
        if cause is None:
            return error
        name = error_name(error)
        if name not in _WRAPPERS and (
            name != "PulsarClientException" or error_name(cause) not in _WRAPPERS
        ):
            return error
        error = cause
    return error


def error_name(error: Any) -> str:
    """The simple name of an exception's class; that of a value which Java cannot take, too."""
    if not hasattr(error, "getClass"):
        return type(error).__name__
    return str(error.getClass().getSimpleName())


def _text(error: Any) -> str:
    """What the exception says, without the trace and addresses that the client puts into it."""
    message = error.getMessage() if hasattr(error, "getMessage") else error
    if message is None:
        return ""
    first = str(message).strip().partition("\n")[0]
    if first.startswith("{"):
        with suppress(ValueError, KeyError):
            first = str(json.loads(first)["errorMsg"])
    return f" ({first})"
