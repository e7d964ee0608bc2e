"""The six message types, and their way to the wire and back."""

from pulsar_jms.messages.bytes_message import PulsarBytesMessage
from pulsar_jms.messages.map_message import PulsarMapMessage
from pulsar_jms.messages.message import Acknowledger, PulsarMessage
from pulsar_jms.messages.object_message import PulsarObjectMessage
from pulsar_jms.messages.stream_message import PulsarStreamMessage
from pulsar_jms.messages.text_message import PulsarTextMessage
from pulsar_jms.messages.wire_decoding import decode
from pulsar_jms.messages.wire_encoding import (
    SendParameters,
    convert,
    copy_of_body,
    encode,
    mark_sent,
    message_for,
    mirror_headers,
)

__all__ = [
    "Acknowledger",
    "PulsarBytesMessage",
    "PulsarMapMessage",
    "PulsarMessage",
    "PulsarObjectMessage",
    "PulsarStreamMessage",
    "PulsarTextMessage",
    "SendParameters",
    "convert",
    "copy_of_body",
    "decode",
    "encode",
    "mark_sent",
    "message_for",
    "mirror_headers",
]
