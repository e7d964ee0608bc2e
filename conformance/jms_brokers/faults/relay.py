"""A TCP relay with faults: the part that byte-level and frame-level proxies share.

It listens on loopback and runs an event loop in one thread. Every control may be called from any
thread and has taken effect when it returns.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Coroutine, Iterable
from types import TracebackType
from typing import Any, Self, TypeVar

from jms_brokers.faults.link import Codec, Conditions, End, Link, hang_up, swallow
from jms_brokers.faults.listener import LOOPBACK, ProxyListener
from jms_brokers.faults.rules import (
    Action,
    ArmedRule,
    Cut,
    Direction,
    FaultError,
    Frame,
    Predicate,
    Rule,
    Rulebook,
)

T = TypeVar("T")

CONNECT_TIMEOUT = 10.0
"""Seconds for the connection to the broker."""
CONTROL_TIMEOUT = 15.0
"""Seconds after which a control that has not taken effect is an error."""


class Relay:
    """Relays connections to a broker, with faults on demand."""

    def __init__(self, host: str, port: int) -> None:
        """Relay to the broker at `host`:`port`; `FaultError` if the host is unknown."""
        self._rulebook = Rulebook()
        self._conditions = Conditions()
        self._links: set[Link] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._unheard: set[asyncio.Task[None]] = set()
        self._listening = False
        self._accepted = 0
        self._cuts = 0
        self._finished = dict.fromkeys(Direction, 0)
        self._failures: list[Exception] = []
        self._first = ProxyListener((host, port))
        self._listeners = {self._first.target: self._first}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name=f"fault-proxy-{self._first.port}", daemon=True
        )
        self._thread.start()
        self._do(self._listen)

    def codec(self, connection: int) -> Codec:
        """How this proxy reads connection number `connection`; proxies define it."""
        raise NotImplementedError

    def check(self, types: tuple[str, ...], action: Action) -> None:
        """Refuse a rule that this proxy cannot keep, with `FaultError`; proxies define it."""
        raise NotImplementedError

    # -- what it is

    @property
    def host(self) -> str:
        """The address to connect to."""
        return LOOPBACK

    @property
    def port(self) -> int:
        """The port to connect to."""
        return self._first.port

    @property
    def connections(self) -> int:
        """How many connections are open now."""
        return len(self._links)

    @property
    def accepted(self) -> int:
        """How many connections were accepted since the start."""
        return self._accepted

    def relayed(self, direction: Direction) -> int:
        """How many bytes were passed on in this direction, over all connections."""
        return self._do(
            lambda: (
                self._finished[direction]
                + sum(link.lanes[direction].relayed for link in self._links)
            )
        )

    # -- rules

    def on(
        self,
        *types: str,
        action: Action,
        direction: Direction | None = None,
        where: Predicate | None = None,
        times: int | None = None,
    ) -> ArmedRule:
        """From now on `action` is applied to the frames that fit; the first rule that fits decides.

        `types` are the protocol's names, none means every type; `times` is for how many frames.
        `FaultError` for what the proxy cannot do.
        """
        self.check(types, action)
        return self._rulebook.add(Rule(action, frozenset(types), direction, where, times))

    def seen(
        self, *types: str, direction: Direction | None = None, where: Predicate | None = None
    ) -> tuple[Frame, ...]:
        """The frames that came so far, whatever became of them; the oldest first."""
        return self._rulebook.seen(*types, direction=direction, where=where)

    def wait_for(
        self,
        *types: str,
        timeout: float,
        count: int = 1,
        direction: Direction | None = None,
        where: Predicate | None = None,
    ) -> Frame:
        """Frame number `count` of those that fit, past ones included.

        Waits `timeout` seconds, then raises `FaultTimeout`.
        """
        return self._rulebook.wait_for(
            *types, timeout=timeout, count=count, direction=direction, where=where
        )

    # -- faults of whole connections

    @property
    def delay(self) -> float:
        """Seconds by which everything is late, in each direction; keeps the order."""
        return self._conditions.delay

    @delay.setter
    def delay(self, seconds: float) -> None:
        if seconds < 0:
            raise FaultError(f"delay {seconds}", hint="seconds, 0 or more")
        self._conditions.delay = seconds

    @property
    def rate(self) -> float | None:
        """Bytes per second of each connection in each direction; None is as fast as it goes."""
        return self._conditions.rate

    @rate.setter
    def rate(self, bytes_per_second: float | None) -> None:
        if bytes_per_second is not None and bytes_per_second <= 0:
            raise FaultError(
                f"rate {bytes_per_second}", hint="bytes per second, more than 0, or None"
            )
        self._conditions.rate = bytes_per_second

    def cut(self, how: Cut = Cut.RST) -> None:
        """End every connection on both sides; by FIN this waits a second at most for the peers."""
        self._run(self._end_all(how))

    def stall(self, direction: Direction | None = None) -> None:
        """Stop reading and writing, one way or both; the senders' buffers fill, nothing is lost."""
        self._flow(direction, flowing=False)

    def resume(self, direction: Direction | None = None) -> None:
        """End `stall`."""
        self._flow(direction, flowing=True)

    def fall_silent(self) -> None:
        """Half-open both ways: accept connections, read what comes, forward and answer nothing."""
        self._conditions.silent = True

    def half_open(self, gone: End) -> None:
        """Reset that end of every connection, and leave the other end in the belief that it lives.

        New connections are not affected.
        """

        async def forsake_all() -> None:
            await asyncio.gather(*(link.forsake(gone) for link in self._links))

        self._run(forsake_all())

    def heal(self) -> None:
        """End `fall_silent` and `half_open`; connections that lost bytes are reset."""

        async def cut_lossy() -> None:
            self._conditions.silent = False
            await self._end([link for link in self._links if link.lossy], Cut.RST)

        self._run(cut_lossy())

    def down(self) -> None:
        """Refuse connections and reset those that are open, as if the broker had gone."""

        async def go_down() -> None:
            self._listening = False
            for listener in self._listeners.values():
                self._accept(listener)
                self._shut(listener)
            await self._end_all(Cut.RST)

        self._run(go_down())

    def up(self) -> None:
        """Listen again, on the same port."""
        self._do(self._listen)

    # -- life

    def close(self) -> None:
        """End everything; `FaultError` when the proxy itself failed, for example in a predicate."""
        if self._loop.is_closed():
            return
        self._run(self._finish())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CONTROL_TIMEOUT)
        self._loop.close()
        if self._failures:
            raise FaultError(
                f"the proxy on port {self.port} failed on {len(self._failures)} connections,"
                f" first with {self._failures[0]!r}",
                hint="correct the predicate of the rule, or take the proxy of the right protocol",
            ) from self._failures[0]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # -- on the loop

    def _listen(self) -> None:
        self._listening = True
        for listener in self._listeners.values():
            self._open(listener)

    def _open(self, listener: ProxyListener) -> None:
        self._loop.add_reader(listener.open(), self._accept, listener)

    def listen_for(self, host: str, port: int) -> int:
        """The port of this proxy that leads to another broker; only codecs call this."""
        listener = self._listeners.get((host, port))
        if listener is None:
            listener = self._listeners[host, port] = ProxyListener((host, port))
            if self._listening:
                self._open(listener)
        return listener.port

    def _accept(self, listener: ProxyListener) -> None:
        try:
            for client in listener.waiting():
                self._accepted += 1
                work = self._relay(client, listener, self._accepted, self._cuts)
                task = self._loop.create_task(work)
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
        except OSError as error:
            self._failures.append(error)
            self._shut(listener)

    def _shut(self, listener: ProxyListener) -> None:
        if listener.socket is not None:
            self._loop.remove_reader(listener.socket)
        listener.shut()

    async def _relay(
        self, client: socket.socket, listener: ProxyListener, number: int, cuts: int
    ) -> None:
        with client, socket.socket(listener.family, socket.SOCK_STREAM) as broker:
            try:
                if self._conditions.silent:
                    await self._leave_unheard(client)
                elif await self._connect(client, broker, listener.address) and cuts == self._cuts:
                    await self._link(client, broker, number)
                else:  # the broker refused, or a cut came meanwhile
                    await hang_up(broker, Cut.RST)
                    await hang_up(client, Cut.RST)
            except Exception as error:
                self._failures.append(error)

    async def _connect(
        self, client: socket.socket, broker: socket.socket, address: tuple[Any, ...]
    ) -> bool:
        """Whether the broker accepts the connection."""
        for end in (client, broker):
            end.setblocking(False)
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT):
                await self._loop.sock_connect(broker, address)
        except OSError:
            return False
        return True

    async def _leave_unheard(self, client: socket.socket) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._unheard.add(task)
        try:
            await swallow(client)
        finally:
            self._unheard.discard(task)
            await hang_up(client, Cut.RST)

    async def _end_all(self, how: Cut) -> None:
        for listener in self._listeners.values():
            self._accept(listener)
        self._cuts += 1
        await self._end(self._links, how)

    async def _end(self, links: Iterable[Link], how: Cut) -> None:
        for task in self._unheard:
            task.cancel()
        ended = list(links)
        for link in ended:
            link.cut(how)
        await asyncio.gather(*self._unheard, return_exceptions=True)
        await asyncio.gather(*(link.closed.wait() for link in ended))

    async def _link(self, client: socket.socket, broker: socket.socket, number: int) -> None:
        codec = self.codec(number)
        link = Link(client, broker, codec, self._rulebook, self._conditions)
        self._links.add(link)
        try:
            await link.run()
        finally:
            self._links.discard(link)
            if link.failure is not None:
                self._failures.append(link.failure)
            for direction, lane in link.lanes.items():
                self._finished[direction] += lane.relayed

    async def _finish(self) -> None:
        for listener in self._listeners.values():
            self._shut(listener)
            listener.close()
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)

    def _flow(self, direction: Direction | None, *, flowing: bool) -> None:
        def switch() -> None:
            for each, event in self._conditions.flowing.items():
                if direction in (None, each):
                    event.set() if flowing else event.clear()

        self._do(switch)

    # -- from other threads

    def _do(self, action: Callable[[], T]) -> T:
        async def act() -> T:
            return action()

        return self._run(act())

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        if self._loop.is_closed():
            work.close()
            raise FaultError(
                f"the proxy on port {self.port} is closed", hint="use it within its scenario"
            )
        if threading.current_thread() is self._thread:
            work.close()
            raise FaultError(
                f"a predicate of the proxy on port {self.port} used the proxy",
                hint="a predicate only looks at its frame; what happens is the rule's action",
            )
        try:
            return asyncio.run_coroutine_threadsafe(work, self._loop).result(CONTROL_TIMEOUT)
        except TimeoutError as error:
            raise FaultError(
                f"the proxy on port {self.port} did not react within {CONTROL_TIMEOUT:g} s",
                hint="a predicate of one of its rules blocks",
            ) from error
