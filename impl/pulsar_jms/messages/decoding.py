"""From a raw message to a JMS one, by its schema where asked for, with one error for all causes."""

from __future__ import annotations

from jmsapi import (
    Destination,
    JMSException,
    MessageFormatException,
    ObjectMessage,
    TextMessage,
)
from pulsar_jms.formats.limits import BodyLimits
from pulsar_jms.implements import implements
from pulsar_jms.mapping.bodies import MessageKind
from pulsar_jms.mapping.headers import message_id_text
from pulsar_jms.messages import PulsarMessage, decode
from pulsar_jms.messages.schemas import Schemas
from pulsar_jms.transport.transport_protocol import DeliveredMessage
from pulsar_jms.transport.wire_messages import Incoming


def decode_received(
    incoming: Incoming,
    destination: Destination,
    schemas: Schemas | None,
    limits: BodyLimits,
    consequence: str,
) -> PulsarMessage:
    """The message as JMS has it; `consequence` says what becomes of one that cannot be decoded.

    `MessageFormatException` with its id when that is not possible, `JMSException` when its schema
    cannot be had.
    """
    try:
        schema = None if schemas is None else schemas.of(incoming)
        return decode(incoming, destination, schema, limits)
    except Exception as error:
        raise unreadable_error(incoming, error, consequence) from error


def unreadable_error(incoming: Incoming, error: Exception, consequence: str) -> JMSException:
    """That a message cannot be read, and why."""
    kind = JMSException if type(error) is JMSException else MessageFormatException
    return kind(
        f"The message {message_id_text(incoming.position)} of {incoming.topic} cannot be "
        f"decoded: {_reason(error)}. {consequence}"
    )


@implements("JMS-CTX-011")
def has_body_as(message: PulsarMessage, kind: type) -> bool:
    """Whether there is a body, and it can be given as `kind`."""
    if message.KIND is MessageKind.HEADER or not message.is_body_assignable_to(kind):
        return False
    return (
        not isinstance(message, (TextMessage, ObjectMessage)) or message.get_body(kind) is not None
    )


def delivery_failure(delivered: DeliveredMessage, error: BaseException) -> JMSException:
    """A text on an error of any class that a message met with on its way."""
    if isinstance(error, JMSException):
        return error
    return exception_with_cause(
        f"{describe_delivered(delivered)} failed on its way to the application. It is not "
        "acknowledged and comes again by the redelivery rules",
        error,
        MessageFormatException,
    )


def exception_with_cause(
    what: str, error: BaseException, kind: type[JMSException] = JMSException
) -> JMSException:
    """An exception that says what has happened and by which error."""
    told = kind(f"{what} ({_reason(error)})")
    told.__cause__ = error
    return told


def describe_delivered(delivered: DeliveredMessage) -> str:
    """The message by its id and topic, as far as these can be read."""
    try:
        message = delivered.message
        return f"The message {message_id_text(message.position)} of {message.topic}"
    except Exception as error:
        return f"A message whose id cannot be read ({_reason(error)})"


def _reason(error: BaseException) -> str:
    return error.reason if isinstance(error, JMSException) else f"{type(error).__name__}: {error}"
