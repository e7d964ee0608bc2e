"""What a broker answers, or something else in its place: administration, greeting."""

from __future__ import annotations

import socket
from contextlib import suppress

from fuzz.mutations import structure, words
from fuzz.targets import Target
from pulsar_jms.transport import admin_answers
from pulsar_jms.transport.admin_answers import NotUnderstoodError
from pulsar_jms.transport.handshake import NoBrokerError, RefusedError, greet


def _administration(data: bytes) -> None:
    for read in (
        admin_answers.partitions,
        admin_answers.schema,
        admin_answers.topics,
        admin_answers.has_consumers,
    ):
        with suppress(NotUnderstoodError):
            read(data)
    for about in (admin_answers.extent, admin_answers.is_all_sent_again):
        with suppress(NotUnderstoodError):
            about("s", data)


class _Connection(socket.socket):
    """A connection whose other end says what it wants, then nothing more."""

    def __init__(self, says: bytes) -> None:
        self._says = says

    def sendall(self, data: object, flags: int = 0) -> None:
        """Nobody listens."""

    def recv(self, size: int, flags: int = 0) -> bytes:
        said, self._says = self._says[:size], self._says[size:]
        return said


def _greeting(data: bytes) -> None:
    greet(_Connection(data), "none", b"")


_ANSWER_WORDS = words(
    *('"partitions"', '"cursors"', '"s"', '"lastConfirmedEntry"', '"individuallyDeletedMessages"'),
    *(
        '"subscriptions"',
        '"consumers"',
        '"msgInReplay"',
        '"type"',
        '"data"',
        '"properties"',
        "null",
    ),
    *("{", "}", "[", "]", ":", ",", "..", '""', "1e999"),
)

TARGETS = (
    Target("broker-administration", "impl", _administration, (), _ANSWER_WORDS),
    Target("broker-greeting", "impl", _greeting, (NoBrokerError, RefusedError, OSError), structure),
)
