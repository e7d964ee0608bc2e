"""JMS Client for RabbitMQ: what its documentation decides otherwise than Starlight for JMS."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from jmsapi import JMSException, Message, ObjectMessage, SessionMode
from pulsar_jms.configuration import integer
from pulsar_jms.dialects.snapshots import READ_MAX, SnapshotBrowser
from pulsar_jms.dialects.starlight import STARLIGHT
from pulsar_jms.implements import implements, implements_rows
from pulsar_jms.mapping.session_modes import INDIVIDUAL_ACKNOWLEDGE, MODES
from pulsar_jms.messages import PulsarMessage, PulsarObjectMessage, copy_of_body

READ_MAX_VARIABLE: Final = "RABBIT_JMS_QUEUE_BROWSER_READ_MAX"
"""The environment variable that stands for the system property rabbit.jms.queueBrowserReadMax."""
_JAVA_INTEGER = re.compile(r"([+-]?)(?:(?:0[xX]|#)([0-9a-fA-F]+)|0([0-7]+)|(0|[1-9][0-9]*))")
_INT = range(-(2**31), 2**31)

_MODES = {
    **MODES,
    SessionMode.CLIENT_ACKNOWLEDGE: MODES[SessionMode.CLIENT_ACKNOWLEDGE]._replace(
        requirements=("RMQ-ACK-001", "RMQ-ACK-002", "RMQ-ACK-003", "RMQ-ACK-004", "RMQ-ACK-005")
    ),
    INDIVIDUAL_ACKNOWLEDGE: MODES[INDIVIDUAL_ACKNOWLEDGE]._replace(
        requirements=("RMQ-ACK-006", "RMQ-ACK-007", "RMQ-ACK-008", "RMQ-ACK-009", "RMQ-ACK-010"),
        vendor_name="CLIENT_INDIVIDUAL_ACKNOWLEDGE",
        reported=int(SessionMode.CLIENT_ACKNOWLEDGE),
    ),
}
implements_rows(
    __name__,
    "_MODES",
    [
        (f"mode {int(mode)} covers {_MODES[mode].call_covers.value}", _MODES[mode].requirements)
        for mode in (SessionMode.CLIENT_ACKNOWLEDGE, INDIVIDUAL_ACKNOWLEDGE)
    ],
)


def java_integer(text: str) -> int | None:
    """The int that Java's Integer.decode reads in a text, None where it reads none.

    Decimal, hexadecimal after 0x or #, octal after 0; a sign in front, no blanks.
    """
    match = _JAVA_INTEGER.fullmatch(text)
    if match is None:
        return None
    sign, hexadecimal, octal, decimal = match.groups()
    digits, base = (hexadecimal, 16) if hexadecimal else (octal, 8) if octal else (decimal, 10)
    number = int(f"{sign}{digits}", base)
    return number if number in _INT else None


@implements("RMQ-CFG-009", "RMQ-CFG-010", "RMQ-CFG-011")
def initial_settings(environment: Mapping[str, str]) -> Mapping[str, object]:
    """The read limit that the environment gives, 0 where it gives none or what is no integer."""
    return {READ_MAX: java_integer(environment.get(READ_MAX_VARIABLE, "")) or 0}


@implements(*(f"RMQ-INTR-{number:03}" for number in range(1, 14)), "JMS-INTR-002", "JMS-BODY-035")
def convert(message: Message) -> PulsarMessage:
    """`message` itself, or a copy of one of another client without what cannot be rebuilt.

    Left out are JMSReplyTo, property values that are of no type of JMS or cannot be read, and a
    body of an ObjectMessage that cannot be read or serialised.
    """
    if isinstance(message, PulsarMessage):
        return message
    copy = _own_kind(message)
    for name in message.property_names():
        try:
            copy.set_object_property(name, message.get_object_property(name))
        except JMSException:
            continue
    copy.jms_correlation_id_as_bytes = message.jms_correlation_id_as_bytes
    copy.jms_type = message.jms_type
    return copy


def _own_kind(message: Message) -> PulsarMessage:
    if not isinstance(message, ObjectMessage):
        return copy_of_body(message)
    try:
        copy = copy_of_body(message)
        copy.encoded_body()
    except JMSException:
        return PulsarObjectMessage()
    return copy


RABBITMQ: Final = replace(
    STARLIGHT,
    name="rabbitmq",
    modes=_MODES,
    browser=SnapshotBrowser,
    convert=convert,
    keys={READ_MAX: integer},
    initial=initial_settings,
)
