"""Texts of a message that are not UTF-8, as any producer in another language can send them.

Pulsar calls them strings and checks nothing. The Java client shows U+FFFD; pulsar-client's Python
layer raises UnicodeDecodeError, for all properties of a message at once. The C interface of the
same library (pulsar/c/*.h) gives bytes, so such a message is read once more by that, from where
the broker keeps it.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from typing import Any, Final

import _pulsar

from jmsapi import MessageFormatException
from pulsar_jms.configuration import Settings
from pulsar_jms.transport.credentials import Credentials
from pulsar_jms.transport.wire_messages import MessagePosition

_SURROGATE = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]?")
_NUMBER = re.compile(rb"-?\d+")
_WITHIN = 5
"""Seconds that one step of reading may take."""
_OK = 0

_POINTER, _TEXT, _INT = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
_FUNCTIONS: Final[dict[str, tuple[Any, ...]]] = {
    "authentication_basic_create": (_POINTER, _TEXT, _TEXT),
    "authentication_free": (None, _POINTER),
    "authentication_oauth2_create": (_POINTER, _TEXT),
    "authentication_tls_create": (_POINTER, _TEXT, _TEXT),
    "authentication_token_create": (_POINTER, _TEXT),
    "client_configuration_create": (_POINTER,),
    "client_configuration_free": (None, _POINTER),
    "client_configuration_set_auth": (None, _POINTER, _POINTER),
    "client_configuration_set_listener_name": (None, _POINTER, _TEXT),
    "client_configuration_set_operation_timeout_seconds": (None, _POINTER, _INT),
    "client_configuration_set_tls_allow_insecure_connection": (None, _POINTER, _INT),
    "client_configuration_set_tls_trust_certs_file_path": (None, _POINTER, _TEXT),
    "client_configuration_set_validate_hostname": (None, _POINTER, _INT),
    "client_close": (_INT, _POINTER),
    "client_create": (_POINTER, _TEXT, _POINTER),
    "client_create_reader": (_INT, _POINTER, _TEXT, _POINTER, _POINTER, ctypes.POINTER(_POINTER)),
    "client_free": (None, _POINTER),
    "message_free": (None, _POINTER),
    "message_get_message_id": (_POINTER, _POINTER),
    "message_get_properties": (_POINTER, _POINTER),
    "message_id_deserialize": (_POINTER, _TEXT, ctypes.c_uint32),
    "message_id_free": (None, _POINTER),
    "message_id_str": (_POINTER, _POINTER),
    "reader_close": (_INT, _POINTER),
    "reader_configuration_create": (_POINTER,),
    "reader_configuration_free": (None, _POINTER),
    "reader_free": (None, _POINTER),
    "reader_read_next_with_timeout": (_INT, _POINTER, ctypes.POINTER(_POINTER), _INT),
    "string_map_free": (None, _POINTER),
    "string_map_get_key": (_TEXT, _POINTER, _INT),
    "string_map_get_value": (_TEXT, _POINTER, _INT),
    "string_map_size": (_INT, _POINTER),
}
"""What is used of the C interface: what each function gives, and what it takes."""
_AUTHENTICATION: Final = {
    "AuthenticationBasic": "authentication_basic_create",
    "AuthenticationOAuth2": "authentication_oauth2_create",
    "AuthenticationTls": "authentication_tls_create",
    "AuthenticationToken": "authentication_token_create",
}


def text_of(raw: bytes) -> str:
    """The text of bytes, with U+FFFD for what is not UTF-8, as Java reads it.

    Java takes a surrogate for one malformed sequence, Python for one at each byte.
    """
    return _SURROGATE.sub(b"\xef\xbf\xbd", raw).decode("utf-8", "replace")


class LenientTexts:
    """Reads properties anew by the C interface, each message by a client that ends with it."""

    def __init__(self, settings: Settings, credentials: Credentials) -> None:
        self._settings = settings
        self._credentials = credentials

    def properties(
        self, topic: str, position: MessagePosition, first: MessagePosition | None
    ) -> dict[str, str]:
        """The properties of a message; what follows a NUL in a name or value is left out.

        `first` is where its first part is, if it has several. `MessageFormatException` where the
        message cannot be read from there.
        """
        with ExitStack() as made:
            begin = first or position
            reader = self._reader(made, topic, begin._replace(entry=begin.entry - 1))
            while True:
                message = _POINTER()
                result = _c("reader_read_next_with_timeout")(
                    reader, ctypes.byref(message), _WITHIN * 1000
                )
                if result != _OK:
                    raise _unreadable(topic, position, result)
                made.callback(_c("message_free"), message)
                reached = _position(message)
                if reached == (position.ledger, position.entry, position.batch_index):
                    return _properties(message)
                if reached[:2] > position[:2]:
                    raise _unreadable(topic, position, result)

    def _reader(self, made: ExitStack, topic: str, behind: MessagePosition) -> ctypes.c_void_p:
        client = self._client(made)
        start = _pulsar.MessageId(behind.partition, behind.ledger, behind.entry, -1).serialize()
        identifier = _create(made, "message_id", "deserialize", start, len(start))
        configuration = _create(made, "reader_configuration", "create")
        reader = _POINTER()
        result = _c("client_create_reader")(
            client, topic.encode(), identifier, configuration, ctypes.byref(reader)
        )
        if result != _OK:
            raise _unreadable(topic, behind, result)
        made.callback(_c("reader_free"), reader)
        made.callback(_c("reader_close"), reader)
        return reader

    def _client(self, made: ExitStack) -> Any:
        settings, credentials = self._settings, self._credentials
        configuration = _create(made, "client_configuration", "create")

        def configure(what: str, value: object) -> None:
            _c(f"client_configuration_set_{what}")(configuration, value)

        configure("operation_timeout_seconds", _WITHIN)
        configure("tls_allow_insecure_connection", int(credentials.allow_insecure))
        configure("validate_hostname", int(credentials.verify_host_name))
        if credentials.trust_certificate:
            configure("tls_trust_certs_file_path", credentials.trust_certificate.encode())
        listener = settings.text("listenerName", "")
        if listener:
            configure("listener_name", listener.encode())
        create = _AUTHENTICATION.get(credentials.kind)
        if create is not None:
            texts = (text.encode() for text in credentials.texts())
            authentication = _c(create)(*texts)
            made.callback(_c("authentication_free"), authentication)
            configure("auth", authentication)
        client = _create(made, "client", "create", settings.service_url.encode(), configuration)
        made.callback(_c("client_close"), client)
        return client


@cache
def _c(name: str) -> Callable[..., Any]:
    """A function of the library that pulsar-client itself is linked to."""
    result, *arguments = _FUNCTIONS[name]
    function = getattr(ctypes.CDLL(_pulsar.__file__), f"pulsar_{name}")
    function.restype, function.argtypes = result, arguments
    return function  # type: ignore[no-any-return]


def _create(made: ExitStack, kind: str, how: str, *arguments: object) -> Any:
    thing = _c(f"{kind}_{how}")(*arguments)
    made.callback(_c(f"{kind}_free"), thing)
    return thing


def _position(message: ctypes.c_void_p) -> tuple[int, int, int]:
    """Ledger, entry and index in the batch, of the last part where there are several."""
    with ExitStack() as made:
        identifier = _c("message_get_message_id")(message)
        made.callback(_c("message_id_free"), identifier)
        text = _c("message_id_str")(identifier)
        numbers = [int(each) for each in _NUMBER.findall(ctypes.string_at(text))]
        made.callback(_free, text)
    ledger, entry, _, batch_index = numbers[-4:]
    return ledger, entry, batch_index


def _properties(message: ctypes.c_void_p) -> dict[str, str]:
    pairs = _c("message_get_properties")(message)
    key, value = _c("string_map_get_key"), _c("string_map_get_value")
    try:
        return {
            text_of(key(pairs, number)): text_of(value(pairs, number))
            for number in range(_c("string_map_size")(pairs))
        }
    finally:
        _c("string_map_free")(pairs)


def _free(text: int) -> None:
    """Give back memory that the library took by malloc."""
    libc = ctypes.CDLL(None)
    libc.free.argtypes = [_POINTER]
    libc.free(text)


def _unreadable(topic: str, position: MessagePosition, result: int) -> MessageFormatException:
    return MessageFormatException(
        f"A property of the message at {position.ledger}:{position.entry} of {topic} is not UTF-8, "
        f"and the message cannot be read once more (pulsar_result {result})"
    )
