"""From a raw message to a JMS one, by its schema where asked for, with one error for all causes."""

from __future__ import annotations

from jmsapi import Destination, JMSException, MessageFormatException
from pulsar_jms.mapping.headers import message_id_text
from pulsar_jms.messages import PulsarMessage, decode
from pulsar_jms.messages.schemas import Schemas
from pulsar_jms.transport.messages import Incoming


def decoded(
    incoming: Incoming, destination: Destination, schemas: Schemas | None, fate: str
) -> PulsarMessage:
    """The message as JMS has it; `fate` says what becomes of one that cannot be decoded.

    `MessageFormatException` with its id when that is not possible, `JMSException` when its schema
    cannot be had.
    """
    try:
        schema = None if schemas is None else schemas.of(incoming)
        return decode(incoming, destination, schema)
    except JMSException as error:
        reason = error.reason
        cause: Exception = error
    except (ValueError, TypeError, LookupError, OverflowError, RecursionError) as error:
        reason = f"{type(error).__name__}: {error}"
        cause = error
    kind = JMSException if type(cause) is JMSException else MessageFormatException
    raise kind(
        f"The message {message_id_text(incoming.position)} of {incoming.topic} cannot be "
        f"decoded: {reason}. {fate}"
    ) from cause
