"""Messages of other clients: how a raw message is understood that no JMS client marked."""

from __future__ import annotations

from collections.abc import Mapping

from jmsapi.errors import MessageFormatException
from pulsar_jms.implements import implements
from pulsar_jms.mapping.bodies import MessageKind
from pulsar_jms.mapping.properties import MESSAGE_TYPE

_KINDS: Mapping[str | None, MessageKind] = {
    **{kind.value: kind for kind in MessageKind},
    None: MessageKind.BYTES,
}


@implements("SLJ-INTR-002", "SLJ-INTR-003", "JMS-INTR-001", "JMS-BODY-002")
def kind_of(properties: Mapping[str, str]) -> MessageKind:
    """The type that a raw message is marked with; BytesMessage where it has no mark.

    Raises `MessageFormatException` for a mark that is not one of the six.
    """
    mark = properties.get(MESSAGE_TYPE)
    kind = _KINDS.get(mark)
    if kind is None:
        raise MessageFormatException(
            f"{MESSAGE_TYPE}={mark!r} is unknown: "
            f"{', '.join(each.value for each in MessageKind)} are allowed, or no such property"
        )
    return kind
