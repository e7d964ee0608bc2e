"""A proxy that reads HTTP, for rules per request: fail one DELETE, count what a client asks for."""

from __future__ import annotations

import json
from http import HTTPStatus
from urllib.parse import unquote, urlsplit

from jms_brokers.faults.link import Codec
from jms_brokers.faults.relay import Relay
from jms_brokers.faults.rules import (
    Action,
    Answer,
    Direction,
    FaultError,
    Frame,
)

METHODS = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT")
RESPONSE = "RESPONSE"
"""The type of what the server sends: each read is a frame."""
_END_OF_HEAD = b"\r\n\r\n"
_LONGEST_HEAD = 65_536


class HttpCodec(Codec):
    """One connection of HTTP/1.1."""

    def __init__(self, connection: int) -> None:
        self._connection = connection
        self._rest = b""

    def split(self, direction: Direction, data: bytes) -> list[bytes]:
        """The requests that `data` completes; from the server whatever comes."""
        if direction is Direction.TO_CLIENT:
            return [data]
        self._rest += data
        requests = []
        while (size := request_size(self._rest)) is not None:
            requests.append(self._rest[:size])
            self._rest = self._rest[size:]
        return requests

    def describe(self, direction: Direction, raw: bytes) -> Frame:
        """A request has its method as type, and the field `path`: decoded, without the query."""
        if direction is Direction.TO_CLIENT:
            return Frame(direction, RESPONSE, self._connection, len(raw))
        method, target, *_ = raw.partition(b"\r\n")[0].decode("latin-1").split(" ")
        fields = {"path": unquote(urlsplit(target).path)}
        return Frame(direction, method, self._connection, len(raw), fields=fields)

    def answer(self, frame: Frame, answer: Answer) -> bytes:
        """The status that `answer.error` names, with the message as Pulsar gives its reasons."""
        status = HTTPStatus[answer.error]
        body = json.dumps({"reason": answer.message}).encode()
        head = (
            f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        return head.encode("latin-1") + body


class HttpProxy(Relay):
    """A proxy in front of an HTTP server, with all faults of the byte proxy and rules per request.

    Types are the methods; a frame's field `path` is the path that was asked for.
    """

    def codec(self, connection: int) -> HttpCodec:
        """HTTP/1.1."""
        return HttpCodec(connection)

    def check(self, types: tuple[str, ...], action: Action) -> None:
        """Rules are for requests of these methods; `Answer` takes a status, as in "CONFLICT"."""
        if unknown := set(types) - {*METHODS, RESPONSE}:
            raise FaultError(
                f"no frame of HTTP is of type {', '.join(sorted(unknown))}",
                hint=f"there are {', '.join(METHODS)} and {RESPONSE}",
            )
        if isinstance(action, Answer):
            if action.error not in HTTPStatus.__members__:
                raise FaultError(
                    f"{action.error} is no status of HTTP",
                    hint="take a name of http.HTTPStatus, as in SERVICE_UNAVAILABLE",
                )
            if not types or RESPONSE in types:
                raise FaultError(f"{action} for what is no request", hint="name methods")


def request_size(data: bytes) -> int | None:
    """How many bytes of `data` its first request takes; None while that is not whole.

    `FaultError` for what is no HTTP.
    """
    end = data.find(_END_OF_HEAD)
    if end < 0:
        if len(data) > _LONGEST_HEAD:
            raise _no_http(data)
        return None
    first, *lines = data[:end].decode("latin-1").split("\r\n")
    if first.partition(" ")[0] not in METHODS:
        raise _no_http(data)
    fields = {name.lower(): value.strip() for name, _, value in (ln.partition(":") for ln in lines)}
    begin = end + len(_END_OF_HEAD)
    if fields.get("transfer-encoding", "").lower() == "chunked":
        return _end_of_chunks(data, begin)
    size = begin + int(fields.get("content-length", "0"))
    return size if size <= len(data) else None


def _end_of_chunks(data: bytes, begin: int) -> int | None:
    while (line := data.find(b"\r\n", begin)) >= 0:
        size = int(data[begin:line].partition(b";")[0], 16)
        begin = line + 2 + size + 2
        if size == 0:
            return begin if begin <= len(data) else None
    return None


def _no_http(data: bytes) -> FaultError:
    return FaultError(
        f"a connection does not begin as HTTP does, but with {data[:20]!r}",
        hint="the HTTP proxy needs a client that speaks HTTP/1.1 without TLS",
    )
