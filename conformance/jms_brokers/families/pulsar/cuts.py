"""Cuts of Pulsar's protocol: which of its frames send, confirm, commit and acknowledge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.families.pulsar import transactions as pulsar_transactions
from jms_brokers.families.pulsar.protocol.proxy import PulsarProxy, host_and_port
from jms_brokers.families.pulsar.rest import PulsarRest
from jms_brokers.faults.rules import Direction, Frame
from jms_brokers.shared.cut_frames import Point

_POINTS = {
    Point.SEND: "SEND",
    Point.CONFIRMATION: "SEND_RECEIPT",
    Point.COMMIT: "END_TXN",
    Point.COMMIT_REPLY: "END_TXN_RESPONSE",
}
_OPENS = {
    "PRODUCER": "producer_id",
    "SUBSCRIBE": "consumer_id",
    "TC_CLIENT_CONNECT_REQUEST": "tc_id",
}
_CLOSES = {"CLOSE_PRODUCER": "PRODUCER", "CLOSE_CONSUMER": "SUBSCRIBE"}
_OPENED = ("PRODUCER_SUCCESS", "SUCCESS", "TC_CLIENT_CONNECT_RESPONSE")
_GIVES_UP_AFTER = 2.0
"""Seconds that a send waits for a broker which does not come back."""


class PulsarCutFrames:
    """Pulsar's frames; see `CutFrames`."""

    def proxy(self, service_url: str) -> PulsarProxy:
        """A proxy for the first address of the URL."""
        return PulsarProxy(*host_and_port(service_url))

    def address(self, address: BrokerAddress, reconnects: bool) -> BrokerAddress:
        """The same: clients of Pulsar always reconnect."""
        return address

    def settings(self, send_timeout: float | None, reconnects: bool) -> Mapping[str, object]:
        """Starlight's key of the send timeout; a short one where the broker does not come back."""
        if send_timeout is None and not reconnects:
            send_timeout = _GIVES_UP_AFTER
        if send_timeout is None:
            return {}
        return {"producerConfig": {"sendTimeoutMs": round(1000 * send_timeout)}}

    def is_at(self, point: Point, frame: Frame) -> bool:
        """Whether the frame is of the type that stands for the point."""
        return frame.type == _POINTS[point]

    def discard(self, frame: Frame, broker: BrokerAddress) -> None:
        """Abort the transaction: clients of Pulsar come back to it, and repeat their commit."""
        most, least = (frame.fields.get(f"txnid_{half}_bits", 0) for half in ("most", "least"))
        assert isinstance(most, int)
        assert isinstance(least, int)
        with closing(PulsarRest(broker)) as rest:
            pulsar_transactions.abort(rest, (most, least))

    def attached(self, frames: Iterable[Frame]) -> frozenset[object]:
        """Producers, consumers and connections to the coordinator, by their numbers."""
        asked: dict[object, object] = {}
        opened: set[object] = set()
        for frame in frames:
            if frame.type in _OPENS:
                number = frame.fields.get(_OPENS[frame.type], 0)
                asked[frame.connection, frame.request_id] = (frame.type, number)
            elif frame.type in _OPENED:
                thing = asked.pop((frame.connection, frame.request_id), None)
                if thing is not None:
                    opened.add(thing)
            elif frame.type in _CLOSES:
                kind = _CLOSES[frame.type]
                opened.discard((kind, frame.fields[_OPENS[kind]]))
        return frozenset(opened)

    def transfers(self, frames: Sequence[Frame], text: str) -> list[Frame]:
        """Each SEND with the text."""
        return _with_text(frames, "SEND", text)

    def confirmations(self, frames: Sequence[Frame], text: str) -> list[Frame]:
        """Each SEND_RECEIPT of such a SEND, by producer and sequence id on the same connection."""
        sent = {_send_key(frame) for frame in self.transfers(frames, text)}
        return [f for f in frames if f.type == "SEND_RECEIPT" and _send_key(f) in sent]

    def acknowledgements(self, frames: Sequence[Frame], text: str) -> list[Frame]:
        """Each ACK of a message that was delivered with the text.

        Cumulative ones are not taken apart: those that name another message do not count.
        """
        delivered = {
            position
            for frame in _with_text(frames, "MESSAGE", text)
            for position in _positions(frame)
        }
        return [
            frame
            for frame in frames
            if frame.type == "ACK"
            and frame.direction is Direction.TO_BROKER
            and delivered & _positions(frame)
        ]


def _with_text(frames: Iterable[Frame], kind: str, text: str) -> list[Frame]:
    wanted = text.encode()
    return [frame for frame in frames if frame.type == kind and wanted in frame.payload]


def _send_key(frame: Frame) -> tuple[object, ...]:
    fields = frame.fields
    return frame.connection, fields.get("producer_id"), fields.get("sequence_id")


def _positions(frame: Frame) -> set[object]:
    positions = frame.fields.get("message_id", ())
    assert isinstance(positions, tuple)
    return set(positions)
