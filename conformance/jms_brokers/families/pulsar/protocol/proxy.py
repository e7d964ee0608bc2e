"""A proxy that reads Pulsar's protocol, for rules per frame: hold a receipt, refuse a SEND."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

from jms_brokers.families.pulsar.protocol import frames as pulsar_frames
from jms_brokers.families.pulsar.protocol.frames import PulsarCommand, Splitter
from jms_brokers.families.pulsar.protocol.types import TYPES, FieldKind, ServerError
from jms_brokers.faults.link import Codec
from jms_brokers.faults.relay import Relay
from jms_brokers.faults.rules import (
    REMEMBERED_BYTES,
    Action,
    Answer,
    Direction,
    FaultError,
    Frame,
)

PLAIN_PORT = 6650


class PulsarCodec(Codec):
    """One connection of Pulsar's protocol."""

    def __init__(self, connection: int, address: Callable[[str], str]) -> None:
        self._connection = connection
        self._address = address
        self._splitters = {direction: Splitter() for direction in Direction}

    def split(self, direction: Direction, data: bytes) -> list[bytes]:
        """The frames that `data` completes."""
        return self._splitters[direction].feed(data)

    def describe(self, direction: Direction, raw: bytes) -> Frame:
        """Type, request id, ids of producer, consumer and message, and the payload's beginning."""
        encoded, payload = pulsar_frames.parts(raw)
        command = pulsar_frames.decode(encoded)
        return Frame(
            direction,
            command.type,
            self._connection,
            len(raw),
            command.request_id,
            command.fields,
            payload[:REMEMBERED_BYTES],
        )

    def answer(self, frame: Frame, answer: Answer) -> bytes:
        """The error as a broker would send it."""
        return pulsar_frames.error_answer(
            _command(frame), ServerError[answer.error], answer.message
        )

    def translate(self, frame: Frame, raw: bytes) -> bytes:
        """The frame, with this proxy's address in place of a broker's."""
        return pulsar_frames.readdress(raw, _command(frame), self._address)


class PulsarProxy(Relay):
    """A proxy in front of a Pulsar broker, with all faults of the byte proxy and rules per frame.

    A client goes to the address that the broker answers on look-up. Standalone brokers tell it to
    stay on the service URL; where another broker answers with an address, the proxy puts a port of
    its own in front of that address and its own address into the answer.

    Clients may mind that frames overtake a held one: pulsar-client ends the connection when the
    receipt of a later SEND comes first, so hold the receipts behind it too.
    """

    def codec(self, connection: int) -> PulsarCodec:
        """Pulsar's protocol."""
        return PulsarCodec(connection, self._address)

    def check(self, types: tuple[str, ...], action: Action) -> None:
        """Rules are for frames of `types`, as in "SEND_RECEIPT"; `Answer` takes a `ServerError`."""
        unknown = [name for name in types if name not in TYPES]
        if unknown:
            raise FaultError(
                f"no frame of Pulsar is of type {', '.join(unknown)}",
                hint=f"there are {', '.join(TYPES)}",
            )
        if isinstance(action, Answer):
            _check_answer(action, types)

    def _address(self, url: str) -> str:
        host, port = host_and_port(url)
        return f"pulsar://{self.host}:{self.listen_for(host, port)}"


def host_and_port(service_url: str) -> tuple[str, int]:
    """The first address of a Pulsar service URL without TLS; `FaultError` for any other URL."""
    try:
        parts = urlsplit(service_url.split(",")[0])
        host, port = parts.hostname, parts.port
    except ValueError:  # brackets without an end, a port that is no number
        host, port = None, None
    if not host or parts.scheme != "pulsar":
        raise FaultError(
            f"the frame proxy cannot stand in front of {service_url}",
            hint="it needs pulsar://HOST:PORT; for TLS use the byte proxy",
        )
    return host, port or PLAIN_PORT


def _check_answer(answer: Answer, types: tuple[str, ...]) -> None:
    if answer.error not in ServerError.__members__:
        raise FaultError(
            f"{answer.error} is no error of Pulsar",
            hint=f"there are {', '.join(ServerError.__members__)}",
        )
    if not types:
        raise FaultError(
            f"{answer} for every type", hint="name the requests or answers that it is for"
        )
    for name in types:
        numbers = {
            field: 0 for field, (_, kind) in TYPES[name].fields.items() if kind is FieldKind.NUMBER
        }
        try:
            pulsar_frames.error_answer(PulsarCommand(name, numbers), ServerError.UnknownError, "")
        except pulsar_frames.PulsarFrameError as error:
            raise FaultError(
                f"{name} has no answer", hint="refuse the request that it belongs to"
            ) from error


def _command(frame: Frame) -> PulsarCommand:
    return PulsarCommand(frame.type, frame.fields)  # type: ignore[arg-type]  # made by describe
