"""One relayed connection: two lanes of bytes between a client and a broker.

Everything here runs on the loop of its proxy, except `Lane.put`, which any thread may call.
"""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Protocol

from jms_brokers.faults.rules import (
    Answer,
    Cut,
    CutAfter,
    CutBefore,
    Delay,
    Direction,
    Drop,
    Frame,
    Hold,
    Rulebook,
)

READ_SIZE = 65_536
QUEUED_PARCELS = 256
"""A lane stops reading while so many parcels wait in it."""
RATE_SLICE = 0.02
"""Seconds of the allowed rate that are written at a time."""
LINGER = 1.0
"""Seconds for which a side that was sent a FIN may still send before it is closed."""


class Codec(Protocol):
    """What a relay must know of the protocol of one connection; keeps the state of its streams."""

    def split(self, direction: Direction, data: bytes) -> list[bytes]:
        """The frames that `data` completes, as they were on the wire."""
        ...

    def describe(self, direction: Direction, raw: bytes) -> Frame:
        """The frame as rules see it."""
        ...

    def answer(self, frame: Frame, answer: Answer) -> bytes:
        """The error that the client gets for `frame`, a request or an answer."""
        ...

    def translate(self, frame: Frame, raw: bytes) -> bytes:
        """The frame as it goes on; other than `raw` only where it names addresses."""
        return raw


class End(Enum):
    """The two ends of a connection."""

    CLIENT = "client"
    BROKER = "broker"


class Conditions:
    """The weather on all connections of a proxy; read by the loop, set by its owner."""

    def __init__(self) -> None:
        self.delay = 0.0
        self.rate: float | None = None
        self.silent = False
        self.flowing = {direction: asyncio.Event() for direction in Direction}
        for event in self.flowing.values():
            event.set()


@dataclass(frozen=True)
class Parcel:
    """What a lane has to write, when, and whether the connection ends with it."""

    due: float
    data: bytes
    end: CutBefore | CutAfter | None = None
    last: bool = False
    """The source has sent a FIN; so does the lane, behind everything else."""

    @property
    def special(self) -> bool:
        """Whether it is more than data."""
        return self.last or self.end is not None


class Link:
    """A client's connection and the broker's, tied together by two lanes."""

    def __init__(
        self,
        client: socket.socket,
        broker: socket.socket,
        codec: Codec,
        rulebook: Rulebook,
        conditions: Conditions,
    ) -> None:
        self.ends = {End.CLIENT: client, End.BROKER: broker}
        self.codec = codec
        self.rulebook = rulebook
        self.conditions = conditions
        self.lossy = False
        """Bytes were thrown away, so this connection can never be whole again."""
        self.lanes = {
            Direction.TO_BROKER: Lane(self, Direction.TO_BROKER, client, broker),
            Direction.TO_CLIENT: Lane(self, Direction.TO_CLIENT, broker, client),
        }
        self.failure: Exception | None = None
        """What went wrong in this proxy itself: in a predicate, or with bytes of no protocol."""
        self.closed = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._ending: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Relay until both sides have finished or the connection is ended; closes both."""
        works: list[Coroutine[None, None, None]] = []
        for lane in self.lanes.values():
            works += [lane.read(), lane.write()]
        self._tasks = [asyncio.ensure_future(work) for work in works]
        try:
            try:
                await asyncio.gather(*self._tasks)
            except OSError:
                if self._ending is None:
                    self.cut(Cut.RST)
            except asyncio.CancelledError:
                if self._ending is None:
                    raise
            except Exception as error:
                self.failure = error
                self.cut(Cut.RST)
            while self._ending is not None and not self._ending.done():
                await asyncio.wait({self._ending})
        finally:
            for end in self.ends.values():
                end.close()
            self.closed.set()

    def cut(self, client: Cut, broker: Cut | None = None) -> None:
        """End both sides; `closed` says when that has happened."""
        hows = {End.CLIENT: client, End.BROKER: broker or client}

        async def hang_up_both() -> None:
            await asyncio.gather(*(hang_up(self.ends[end], how) for end, how in hows.items()))

        self._end(hang_up_both)

    async def forsake(self, gone: End) -> None:
        """Reset one side and keep the other open, reading what it sends and never answering."""
        reset = asyncio.Event()

        async def leave_open() -> None:
            self.lossy = True
            left = self.ends[End.BROKER if gone is End.CLIENT else End.CLIENT]
            await hang_up(self.ends[gone], Cut.RST)
            reset.set()
            await swallow(left)

        self._end(leave_open)
        await reset.wait()

    def _end(self, finish: Callable[[], Coroutine[None, None, None]]) -> None:
        previous = self._ending

        async def end() -> None:
            unfinished = [*self._tasks, *([previous] if previous else [])]
            for task in unfinished:
                task.cancel()
            await asyncio.gather(*unfinished, return_exceptions=True)
            await finish()

        self._ending = asyncio.ensure_future(end())


class Lane:
    """One direction of a link."""

    def __init__(
        self, link: Link, direction: Direction, source: socket.socket, sink: socket.socket
    ) -> None:
        self._link = link
        self._direction = direction
        self._source = source
        self._sink = sink
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._parcels: deque[Parcel] = deque()
        self._wake = asyncio.Event()
        self._room = asyncio.Event()
        self._cut = False
        self.relayed = 0
        """Bytes written so far."""

    def put(self, data: bytes, late: float = 0.0) -> None:
        """Let `data` go on behind what is queued, `late` seconds later than usual."""
        self._queue(Parcel(self._due(late), data))

    async def read(self) -> None:
        """Take bytes from the source and let the rules decide on their frames."""
        flowing = self._link.conditions.flowing[self._direction]
        while not self._cut:
            await flowing.wait()
            while len(self._parcels) >= QUEUED_PARCELS:
                self._room.clear()
                await self._room.wait()
            data = await self._loop.sock_recv(self._source, READ_SIZE)
            if not data:
                self._queue(Parcel(self._due(), b"", last=True))
                return
            for raw in self._link.codec.split(self._direction, data):
                self._admit(raw)
                if self._cut:
                    return

    async def write(self) -> None:
        """Write what is queued, each parcel when it is due."""
        conditions = self._link.conditions
        while True:
            while not self._parcels:
                self._wake.clear()
                if not self._parcels:
                    await self._wake.wait()
            wait = self._parcels[0].due - self._loop.time()
            if wait > 0:
                await asyncio.sleep(wait)
            await conditions.flowing[self._direction].wait()
            parcel = self._next()
            self._room.set()
            if conditions.silent:
                self._link.lossy = True
            elif parcel.last:
                with suppress(OSError):  # the sink may have gone first
                    self._sink.shutdown(socket.SHUT_WR)
                return
            else:
                await self._send(parcel.data)
            if parcel.end is not None:
                self._end_link(parcel.end)
                return

    def _next(self) -> Parcel:
        """The first parcel, together with those behind it that are due and are data only."""
        now = self._loop.time()
        first = self._parcels.popleft()
        if first.special:
            return first
        together = [first.data]
        size = len(first.data)
        while (
            self._parcels
            and not self._parcels[0].special
            and self._parcels[0].due <= now
            and size < READ_SIZE
        ):
            together.append(self._parcels.popleft().data)
            size += len(together[-1])
        return Parcel(first.due, b"".join(together))

    def _admit(self, raw: bytes) -> None:
        frame = self._link.codec.describe(self._direction, raw)
        raw = self._link.codec.translate(frame, raw)
        action = self._link.rulebook.decide(frame, partial(self.put, raw))
        match action:
            case Hold() | Drop():
                return
            case Answer():
                back = self._link.lanes[Direction.TO_CLIENT]
                back.put(self._link.codec.answer(frame, action))
            case CutBefore():
                self._cut = True
                self._queue(Parcel(self._due(), b"", end=action))
            case CutAfter():
                self._cut = True
                self._queue(Parcel(self._due(), raw, end=action))
            case Delay(seconds):
                self.put(raw, late=seconds)
            case _:
                self.put(raw)

    async def _send(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rate = self._link.conditions.rate
            size = len(rest) if rate is None else max(1, int(rate * RATE_SLICE))
            piece, rest = rest[:size], rest[size:]
            if rate is not None:
                await asyncio.sleep(len(piece) / rate)
            await self._loop.sock_sendall(self._sink, piece)
            self.relayed += len(piece)

    def _end_link(self, end: CutBefore | CutAfter) -> None:
        receiver = Cut.FIN if isinstance(end, CutAfter) else end.how
        if self._direction is Direction.TO_BROKER:
            self._link.cut(client=end.how, broker=receiver)
        else:
            self._link.cut(client=receiver, broker=end.how)

    def _due(self, late: float = 0.0) -> float:
        return self._loop.time() + self._link.conditions.delay + late

    def _queue(self, parcel: Parcel) -> None:
        self._parcels.append(parcel)
        if threading.get_ident() == self._thread:
            self._wake.set()
            return
        with suppress(RuntimeError):  # the loop is closed, and with it the connection
            self._loop.call_soon_threadsafe(self._wake.set)


async def hang_up(end: socket.socket, how: Cut) -> None:
    """Close a socket by FIN or RST.

    A socket that is closed with unread bytes sends a reset whatever one asks for, so for a FIN
    the other side is read out first.
    """
    if how is Cut.RST:
        with suppress(OSError):  # already reset by the other side
            end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    else:
        with suppress(OSError):
            end.shutdown(socket.SHUT_WR)
        with suppress(TimeoutError):
            async with asyncio.timeout(LINGER):
                await swallow(end)
    end.close()


async def swallow(end: socket.socket) -> None:
    """Read and throw away whatever comes, until the other side has finished."""
    loop = asyncio.get_running_loop()
    with suppress(OSError):
        while await loop.sock_recv(end, READ_SIZE):
            pass
