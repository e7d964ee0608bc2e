"""One connection of AMQP 1.0 with one session: blocking, for one thread, and short-lived.

It answers no heart-beats: whoever keeps it idle for as long as the peer's time-out loses it.
"""

from __future__ import annotations

import itertools
import socket
import ssl
import uuid
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from jms_brokers.amqp import frames
from jms_brokers.amqp.composites import Composite, composite
from jms_brokers.amqp.frames import AmqpFrame, Splitter
from jms_brokers.amqp.values import AmqpError, Array, Symbol, Value

_WINDOW = 2**31 - 1
_MAX_FRAME = 65_536
_TRANSFER_SIZE = 128
"""Bytes of a frame that are enough for all but the payload."""


class AmqpPeerError(AmqpError):
    """The peer refused something, ended the connection, or did not answer in time."""


@dataclass(frozen=True)
class IncomingMessage:
    """A message that came: its payload, whole, and its number."""

    number: int
    payload: bytes


@dataclass
class LinkEnd:
    """One end of a link as it is now."""

    handle: int
    answered: bool = False
    ended: Composite | None = None
    remote_handle: int = -1
    address: str = ""
    credit: int = 0
    drained: bool = False
    arrived: deque[IncomingMessage] = field(default_factory=deque)
    number: int = 0
    """Of the delivery that is arriving."""
    partial: bytes = b""
    delivery_count: int = 0


class AmqpConnection:
    """A connection to `host`:`port`, opened; every wait ends after `timeout` seconds.

    Without a user it is anonymous. `AmqpPeerError` and `OSError` where it cannot be opened.
    """

    def __init__(
        self,
        host: str,
        port: int,
        *,
        user: str | None = None,
        password: str | None = None,
        timeout: float = 10.0,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._splitter = Splitter()
        self._incoming: deque[AmqpFrame] = deque()
        self._links: dict[int, LinkEnd] = {}
        self._numbers = itertools.count()
        self._handles = itertools.count()
        self._settled: dict[int, Value] = {}
        self._attaching = "", LinkEnd(0)
        self.peer = composite("open")
        """How the peer has opened its end."""
        raw = socket.create_connection((host, port), timeout)
        try:
            raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._socket = tls.wrap_socket(raw, server_hostname=host) if tls else raw
            self._log_in(user, password)
            self._open(host)
        except BaseException:
            raw.close()
            raise

    # -- links

    def sender(self, address: str | None, *capabilities: str) -> LinkEnd:
        """A link on which to send to `address`, None for where each message says; has credit."""
        target = composite("target", address=address, capabilities=_symbols(capabilities))
        link = self._attach(False, composite("source"), target)
        self._until(lambda: link.credit > 0, f"credit for {address or 'any address'}", link)
        return link

    def receiver(self, address: str | None, *capabilities: str) -> LinkEnd:
        """A link from `address`, None for a node made for it; without credit so far."""
        source = composite(
            "source",
            address=address,
            dynamic=True if address is None else None,
            capabilities=_symbols(capabilities),
        )
        return self._attach(True, source, composite("target"))

    def send(self, link: LinkEnd, payload: bytes) -> None:
        """Send a message and return when the peer has accepted it."""
        number = next(self._numbers)
        self._until(lambda: link.credit > 0, "credit", link)
        link.credit -= 1
        link.delivery_count += 1
        size = min(self.peer.get("max-frame-size", _MAX_FRAME), _MAX_FRAME) - _TRANSFER_SIZE
        for begin in range(0, max(1, len(payload)), size):
            transfer = composite(
                "transfer",
                handle=link.handle,
                delivery_id=number,
                delivery_tag=number.to_bytes(4, "big"),
                message_format=0,
                settled=False,
                more=begin + size < len(payload),
            )
            self._write(transfer, payload[begin : begin + size])
        self._until(lambda: number in self._settled, "a disposition", link)
        state = self._settled.pop(number)
        if not isinstance(state, Composite) or state.type != "accepted":
            raise AmqpPeerError(f"a message was not accepted: {state}")

    def receive(self, link: LinkEnd) -> IncomingMessage:
        """The next message, asked for one by one."""
        self._flow(link, credit=1)
        self._until(lambda: bool(link.arrived), "a message", link)
        return link.arrived.popleft()

    def drain(self, link: LinkEnd, most: int = 1000) -> list[IncomingMessage]:
        """The messages that are there, `most` at most; the peer says when that is all."""
        link.drained = False
        self._flow(link, credit=most, drain=True)
        self._until(lambda: link.drained or len(link.arrived) == most, "the end of drain", link)
        messages = list(link.arrived)
        link.arrived.clear()
        return messages

    def accept(self, *deliveries: IncomingMessage) -> None:
        """Accept and settle messages."""
        for each in deliveries:
            self._write(
                composite(
                    "disposition",
                    role=True,
                    first=each.number,
                    last=each.number,
                    settled=True,
                    state=composite("accepted"),
                )
            )

    def detach(self, link: LinkEnd) -> None:
        """End a link; return when the peer has ended its side."""
        self._write(composite("detach", handle=link.handle, closed=True))
        self._until(lambda: link.ended is not None, "a detach")
        del self._links[link.remote_handle]

    def close(self) -> None:
        """End the connection in good order where it still lives."""
        try:
            self._write(composite("close"))
            self._until(lambda: False, "the peer's close")
        except (AmqpError, OSError):
            pass
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # -- opening

    def _log_in(self, user: str | None, password: str | None) -> None:
        self._socket.sendall(frames.SASL_HEADER)
        self._expect_header(3)
        offered = self._expect("sasl-mechanisms").get("sasl-server-mechanisms")
        names = offered if isinstance(offered, list) else [offered]
        wanted = "ANONYMOUS" if user is None else "PLAIN"
        if wanted not in names:
            raise AmqpPeerError(f"the peer offers {', '.join(map(str, names))}, not {wanted}")
        response = b"" if user is None else f"\0{user}\0{password or ''}".encode()
        init = composite("sasl-init", mechanism=wanted, initial_response=response)
        self._socket.sendall(frames.write(AmqpFrame(performative=init, sasl=True)))
        outcome = self._expect("sasl-outcome")
        if outcome.get("code"):
            raise AmqpPeerError(f"the peer does not let us in as {user or 'anonymous'}")

    def _open(self, host: str) -> None:
        self._socket.sendall(frames.HEADER)
        self._expect_header(0)
        self._write(
            composite(
                "open",
                container_id=f"touchstone-{uuid.uuid4().hex}",
                hostname=host,
                max_frame_size=_MAX_FRAME,
            )
        )
        self.peer = self._expect("open")
        begin = composite(
            "begin", next_outgoing_id=0, incoming_window=_WINDOW, outgoing_window=_WINDOW
        )
        self._write(begin)
        self._expect("begin")

    def _attach(self, receiving: bool, source: Composite, target: Composite) -> LinkEnd:
        link = LinkEnd(next(self._handles))
        name = f"touchstone-{uuid.uuid4().hex}"
        self._attaching = name, link
        self._write(
            composite(
                "attach",
                name=name,
                handle=link.handle,
                role=receiving,
                source=source,
                target=target,
                initial_delivery_count=None if receiving else 0,
            )
        )
        self._until(lambda: link.answered, "an attach", link)
        return link

    # -- frames

    def _flow(self, link: LinkEnd, *, credit: int, drain: bool = False) -> None:
        self._write(
            composite(
                "flow",
                next_incoming_id=0,
                incoming_window=_WINDOW,
                next_outgoing_id=0,
                outgoing_window=_WINDOW,
                handle=link.handle,
                delivery_count=link.delivery_count,
                link_credit=credit,
                drain=drain or None,
            )
        )

    def _write(self, performative: Composite, payload: bytes = b"") -> None:
        self._socket.sendall(frames.write(AmqpFrame(0, performative, payload)))

    def _next(self) -> AmqpFrame:
        while not self._incoming:
            try:
                data = self._socket.recv(65_536)
            except TimeoutError as error:
                raise AmqpPeerError("the peer did not answer in time") from error
            if not data:
                raise AmqpPeerError("the peer has ended the connection")
            self._incoming.extend(frames.read(raw) for raw in self._splitter.feed(data))
        return self._incoming.popleft()

    def _expect_header(self, protocol: int) -> None:
        frame = self._next()
        if frame.header != protocol:
            raise AmqpPeerError(f"no AMQP 1.0 header of protocol {protocol}: {frame}")

    def _expect(self, kind: str) -> Composite:
        while (frame := self._next()).performative is None:
            pass
        if frame.performative.type != kind:
            raise AmqpPeerError(f"{kind} was expected, and {_error_text(frame.performative)} came")
        return frame.performative

    def _until(self, done: Callable[[], bool], what: str, link: LinkEnd | None = None) -> None:
        while not done():
            if link is not None and link.ended is not None:
                raise AmqpPeerError(f"waiting for {what}: {_error_text(link.ended)}")
            frame = self._next()
            if frame.performative is not None:
                self._take(frame.performative, frame.payload)

    def _take(self, what: Composite, payload: bytes) -> None:
        match what.type:
            case "attach":
                self._answered(what)
            case "flow":
                link = self._links.get(what.get("handle", -1))
                if link is not None:
                    self._credit(link, what)
            case "transfer":
                self._arrived(self._links[what.get("handle")], what, payload)
            case "disposition":
                for number in range(what.get("first"), what.get("last", what.get("first")) + 1):
                    self._settled[number] = what.get("state")
            case "detach":
                if link := self._links.get(what.get("handle")):
                    link.ended = what
            case "end" | "close":
                raise AmqpPeerError(_error_text(what))

    def _answered(self, attach: Composite) -> None:
        name, link = self._attaching
        if attach.get("name") != name:
            return
        link.answered = True
        link.remote_handle = attach.get("handle")
        source = attach.get("source")
        if isinstance(source, Composite):
            link.address = source.get("address", "")
        if not attach.get("role"):
            link.delivery_count = attach.get("initial-delivery-count", 0)
        self._links[link.remote_handle] = link

    def _credit(self, link: LinkEnd, flow: Composite) -> None:
        credit = flow.get("link-credit", 0)
        if flow.get("drain") and not credit:
            link.drained = True
            link.delivery_count = flow.get("delivery-count", link.delivery_count)
            return
        link.credit = max(0, flow.get("delivery-count", 0) + credit - link.delivery_count)

    def _arrived(self, link: LinkEnd, transfer: Composite, payload: bytes) -> None:
        link.partial += payload
        link.number = transfer.get("delivery-id", link.number)
        if transfer.get("more"):
            return
        link.arrived.append(IncomingMessage(link.number, link.partial))
        link.partial = b""
        link.delivery_count += 1


def _symbols(names: tuple[str, ...]) -> Array | None:
    return Array(Symbol(name) for name in names) or None


def _error_text(what: Composite) -> str:
    error = what.get("error")
    if not isinstance(error, Composite):
        return what.type
    return f"{what.type} with {error.get('condition')}: {error.get('description', '')}"
