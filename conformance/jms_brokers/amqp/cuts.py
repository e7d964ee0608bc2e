"""Cuts of AMQP 1.0: which of its frames send, confirm, commit and acknowledge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from jms_brokers.amqp.composites import Composite
from jms_brokers.amqp.proxy import MESSAGE, AmqpProxy, host_and_port
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.faults.rules import Direction, Frame
from jms_brokers.shared.cut_frames import Point

_COMMIT = "commit"
_QUICK: Mapping[str, object] = {
    "failover.initialReconnectDelay": 0,
    "failover.reconnectDelay": 20,
    "failover.useReconnectBackOff": False,
}
"""A client that reconnects tries again every 20 ms."""


class AmqpCutFrames:
    """AMQP's frames, and Qpid JMS' settings; see `CutFrames`."""

    def proxy(self, service_url: str) -> AmqpProxy:
        """A proxy for the address of the URL."""
        return AmqpProxy(*host_and_port(service_url))

    def address(self, address: BrokerAddress, reconnects: bool) -> BrokerAddress:
        """For a client that reconnects, a URL for failover."""
        if not reconnects:
            return address
        return replace(address, service_url=f"failover:({address.service_url})")

    def settings(self, send_timeout: float | None, reconnects: bool) -> Mapping[str, object]:
        """The client's send timeout: none at all where none is wanted, as is its default."""
        timeout = None if send_timeout is None else round(1000 * send_timeout)
        return {"jms.sendTimeout": timeout, **(_QUICK if reconnects else {})}

    def is_at(self, point: Point, frame: Frame) -> bool:
        """Whether the frame is the transfer or disposition that stands for the point."""
        to_broker = frame.direction is Direction.TO_BROKER
        answers = frame.fields.get("answers", frozenset())
        assert isinstance(answers, frozenset)
        match point:
            case Point.SEND:
                return to_broker and frame.type == "transfer" and "control" not in frame.fields
            case Point.COMMIT:
                return to_broker and frame.fields.get("control") == _COMMIT
            case Point.CONFIRMATION:
                return MESSAGE in answers
            case Point.COMMIT_REPLY:
                return _COMMIT in answers

    def discard(self, frame: Frame, broker: BrokerAddress) -> None:
        """Nothing: the broker rolls back what a lost connection had not committed."""

    def attached(self, frames: Iterable[Frame]) -> frozenset[object]:
        """The connection, links by their names, and a coordinator of transactions."""
        opened: set[object] = set()
        handles: dict[object, object] = {}
        asked: dict[object, object] = {}
        for frame in frames:
            if frame.direction is Direction.TO_BROKER:
                if frame.type == "attach":
                    asked[frame.connection, frame.fields["name"]] = _link(frame)
                continue
            match frame.type:
                case "open":
                    opened.add("connection")
                case "attach":
                    link = asked.get((frame.connection, frame.fields["name"]))
                    handles[_handle(frame)] = link
                    opened.add(link)
                case "detach":
                    opened.discard(handles.get(_handle(frame)))
        return frozenset(opened)

    def transfers(self, frames: Sequence[Frame], text: str) -> list[Frame]:
        """Each transfer to the broker with the text."""
        return _with_text(frames, Direction.TO_BROKER, text)

    def confirmations(self, frames: Sequence[Frame], text: str) -> list[Frame]:
        """Each disposition by the broker of such a transfer, on the same connection."""
        return _dispositions(frames, self.transfers(frames, text), Direction.TO_CLIENT)

    def acknowledgements(self, frames: Sequence[Frame], text: str) -> list[Frame]:
        """Each disposition by the client, of whatever state, of a delivery with the text."""
        delivered = _with_text(frames, Direction.TO_CLIENT, text)
        return _dispositions(frames, delivered, Direction.TO_BROKER)


def _with_text(frames: Iterable[Frame], direction: Direction, text: str) -> list[Frame]:
    wanted = text.encode()
    return [
        frame
        for frame in frames
        if frame.type == "transfer" and frame.direction is direction and wanted in frame.payload
    ]


def _dispositions(
    frames: Sequence[Frame], transfers: Iterable[Frame], direction: Direction
) -> list[Frame]:
    """The dispositions in `direction` that name one of `transfers`, in order."""
    wanted = {_delivery(frame, frame.fields.get("delivery-id")) for frame in transfers}
    return [
        frame
        for frame in frames
        if frame.type == "disposition"
        and frame.direction is direction
        and wanted & {_delivery(frame, number) for number in _numbers(frame)}
    ]


def _delivery(frame: Frame, number: object) -> tuple[object, ...]:
    return frame.connection, frame.fields["channel"], number


def _numbers(disposition: Frame) -> range:
    first = disposition.fields["first"]
    last = disposition.fields.get("last", first)
    assert isinstance(first, int)
    assert isinstance(last, int)
    return range(first, last + 1)


def _link(attach: Frame) -> object:
    target = attach.fields.get("target")
    if isinstance(target, Composite) and target.type == "coordinator":
        return "coordinator"
    return attach.fields["name"]


def _handle(frame: Frame) -> tuple[object, ...]:
    return frame.connection, frame.fields["channel"], frame.fields["handle"]
