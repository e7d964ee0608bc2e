"""The byte proxy in front of a local echo server."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from time import monotonic

import pytest

from jms_brokers.faults import rules
from jms_brokers.faults.byte_proxy import ByteProxy
from jms_brokers.faults.link import End
from jms_brokers.faults.rules import Cut, Direction, FaultError

TIMEOUT = 5.0


class EchoServer:
    """Sends back what it gets; remembers its connections and how each ended."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self.endings: list[str] = []
        self._changed = threading.Condition()
        self._threads: list[threading.Thread] = []
        self._open: list[socket.socket] = []
        self._start(self._accept)

    def wait_for_endings(self, count: int) -> list[str]:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.endings) >= count, TIMEOUT)
            return list(self.endings)

    def wait_until_all_ended(self, count: int) -> None:
        self.wait_for_endings(count)
        for thread in self._threads[1:]:
            thread.join(TIMEOUT)

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for each in self._open:
            with suppress(OSError):  # it may have ended already
                each.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(TIMEOUT)

    def _start(self, work: Callable[..., None], *args: object) -> None:
        thread = threading.Thread(target=work, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self._open.append(connection)
            self._start(self._echo, connection)

    def _echo(self, connection: socket.socket) -> None:
        ending = "FIN"
        with connection:
            try:
                while data := connection.recv(65536):
                    connection.sendall(data)
            except ConnectionResetError:
                ending = "RST"
            with self._changed:
                self.endings.append(ending)
                self._changed.notify_all()


@pytest.fixture
def echo() -> Iterator[EchoServer]:
    with closing(EchoServer()) as server:
        yield server


@pytest.fixture
def proxy(echo: EchoServer) -> Iterator[ByteProxy]:
    with ByteProxy("127.0.0.1", echo.port) as proxy:
        yield proxy


def connect(proxy: ByteProxy) -> socket.socket:
    return socket.create_connection((proxy.host, proxy.port), TIMEOUT)


def exactly(connection: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = connection.recv(size - len(data))
        assert more, f"only {len(data)} of {size} bytes came"
        data += more
    return data


def echoed(connection: socket.socket, data: bytes = b"ping") -> bytes:
    connection.sendall(data)
    return exactly(connection, len(data))


def nothing_comes(connection: socket.socket, seconds: float = 0.1) -> None:
    connection.settimeout(seconds)
    with pytest.raises(TimeoutError):
        connection.recv(1)
    connection.settimeout(TIMEOUT)


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_bytes_arrive_unchanged_on_many_connections(proxy: ByteProxy) -> None:
    data = bytes(range(256)) * 4096
    connections = [connect(proxy) for _ in range(50)]
    for connection in connections:
        connection.settimeout(60.0)  # for all that it sends: on a busy machine that takes its time
        threading.Thread(target=connection.sendall, args=(data,), daemon=True).start()
    with ThreadPoolExecutor(len(connections)) as pool:  # who is not read from cannot send on
        came = list(pool.map(partial(exactly, size=len(data)), connections))
    assert [each == data for each in came] == [True] * 50
    assert (proxy.accepted, proxy.connections) == (50, 50)
    assert proxy.relayed(Direction.TO_BROKER) == proxy.relayed(Direction.TO_CLIENT)
    assert proxy.relayed(Direction.TO_CLIENT) == 50 * len(data)
    for connection in connections:
        connection.close()


def test_one_side_may_finish_while_the_other_still_sends(proxy: ByteProxy) -> None:
    with connect(proxy) as connection:
        connection.sendall(b"last words")
        connection.shutdown(socket.SHUT_WR)
        assert exactly(connection, 10) == b"last words"
        assert connection.recv(1) == b""


def test_cut_by_rst_resets_both_sides(proxy: ByteProxy, echo: EchoServer) -> None:
    with connect(proxy) as connection:
        echoed(connection)
        proxy.cut()
        with pytest.raises(ConnectionResetError):
            connection.recv(1)
        assert echo.wait_for_endings(1) == ["RST"]
        assert proxy.connections == 0


def test_cut_by_fin_ends_both_sides_in_order(proxy: ByteProxy, echo: EchoServer) -> None:
    with connect(proxy) as connection:
        echoed(connection)
        cutting = threading.Thread(target=proxy.cut, args=(Cut.FIN,))
        cutting.start()
        assert connection.recv(1) == b""
        assert echo.wait_for_endings(1) == ["FIN"]
        connection.close()
        cutting.join(TIMEOUT)
        assert proxy.connections == 0


def test_a_reset_by_the_client_reaches_the_broker(proxy: ByteProxy, echo: EchoServer) -> None:
    with connect(proxy) as connection:
        echoed(connection)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    assert echo.wait_for_endings(1) == ["RST"]


def test_a_client_can_come_back_after_a_cut(proxy: ByteProxy) -> None:
    connect(proxy).close()
    proxy.cut()
    with connect(proxy) as connection:
        assert echoed(connection) == b"ping"


def test_delay_makes_everything_late(proxy: ByteProxy) -> None:
    with connect(proxy) as connection:
        proxy.delay = 0.05
        start = monotonic()
        echoed(connection)
        assert monotonic() - start >= 2 * 0.05


def test_what_follows_a_late_frame_waits_for_it(proxy: ByteProxy) -> None:
    late = proxy.on(action=rules.Delay(0.05), where=lambda frame: frame.size == 4, times=1)
    with connect(proxy) as connection:
        connection.sendall(b"late")
        late.wait_for_hit(TIMEOUT)
        connection.sendall(b"after")
        assert exactly(connection, 9) == b"lateafter"


def test_rate_bounds_the_bytes_per_second(proxy: ByteProxy) -> None:
    with connect(proxy) as connection:
        proxy.rate = 200_000
        start = monotonic()
        echoed(connection, b"x" * 40_000)
        assert monotonic() - start >= 40_000 / 200_000
        proxy.rate = None
        echoed(connection, b"x" * 1_000_000)


def test_stall_forwards_nothing_and_loses_nothing(proxy: ByteProxy) -> None:
    with connect(proxy) as connection:
        echoed(connection)
        proxy.stall()
        connection.sendall(b"waiting")
        nothing_comes(connection)
        proxy.resume()
        assert exactly(connection, 7) == b"waiting"


def test_stall_fills_the_buffers_of_the_sender(proxy: ByteProxy) -> None:
    with connect(proxy) as connection:
        proxy.stall()
        connection.settimeout(0.1)
        with pytest.raises(TimeoutError):
            connection.sendall(b"x" * 50_000_000)


def test_stall_of_one_direction(proxy: ByteProxy, echo: EchoServer) -> None:
    with connect(proxy) as connection:
        proxy.stall(Direction.TO_CLIENT)
        connection.sendall(b"one way")
        nothing_comes(connection)
        assert proxy.relayed(Direction.TO_BROKER) == 7
        proxy.resume(Direction.TO_CLIENT)
        assert exactly(connection, 7) == b"one way"


def test_a_silent_proxy_accepts_and_answers_nothing(proxy: ByteProxy, echo: EchoServer) -> None:
    with connect(proxy) as old:
        echoed(old)
        proxy.fall_silent()
        with connect(proxy) as new:
            for connection in (old, new):
                connection.sendall(b"anybody?")
                nothing_comes(connection)
            proxy.heal()
            for connection in (old, new):
                with pytest.raises(ConnectionResetError):
                    connection.recv(1)
    with connect(proxy) as connection:
        assert echoed(connection) == b"ping"
    assert proxy.accepted == 3


def test_half_open_without_the_broker(proxy: ByteProxy, echo: EchoServer) -> None:
    with connect(proxy) as connection:
        echoed(connection)
        proxy.half_open(gone=End.BROKER)
        assert echo.wait_for_endings(1) == ["RST"]
        connection.sendall(b"still there?")
        nothing_comes(connection)
        with connect(proxy) as new:
            assert echoed(new) == b"ping"
        proxy.heal()
        with pytest.raises(ConnectionResetError):
            connection.recv(1)


def test_half_open_without_the_client(proxy: ByteProxy, echo: EchoServer) -> None:
    with connect(proxy) as connection:
        echoed(connection)
        proxy.half_open(gone=End.CLIENT)
        with pytest.raises(ConnectionResetError):
            connection.recv(1)
        assert echo.endings == []
        assert proxy.connections == 1
        proxy.heal()
        assert echo.wait_for_endings(1) == ["RST"]


def test_a_port_that_is_down_refuses_and_comes_up_again(proxy: ByteProxy) -> None:
    for _ in range(2):
        with connect(proxy) as connection:
            echoed(connection)
            proxy.down()
            with pytest.raises(ConnectionResetError):
                connection.recv(1)
        with pytest.raises(ConnectionRefusedError):
            connect(proxy)
        with socket.socket() as other, pytest.raises(OSError, match="in use"):
            other.bind((proxy.host, proxy.port))
        proxy.up()
        with connect(proxy) as connection:
            assert echoed(connection) == b"ping"


def test_a_broker_that_refuses_resets_the_client() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as unused:
        port = unused.getsockname()[1]
    with (
        ByteProxy("127.0.0.1", port) as proxy,
        pytest.raises(ConnectionResetError),  # the reset may be there before connect returns
        connect(proxy) as connection,
    ):
        connection.recv(1)


def test_rules_apply_to_what_each_read_brings(proxy: ByteProxy, echo: EchoServer) -> None:
    rule = proxy.on(
        action=rules.CUT_BEFORE,
        direction=Direction.TO_CLIENT,
        where=lambda frame: frame.size == 3,
        times=1,
    )
    with connect(proxy) as connection:
        echoed(connection)
        connection.sendall(b"cut")
        assert rule.wait_for_hit(TIMEOUT).connection == 1
        with pytest.raises(ConnectionResetError):
            connection.recv(1)
    with connect(proxy) as connection:
        assert echoed(connection, b"cut") == b"cut"


def test_what_a_byte_proxy_cannot_do_is_refused(proxy: ByteProxy) -> None:
    with pytest.raises(FaultError, match="frame proxy"):
        proxy.on(action=rules.Answer("UnknownError"))
    with pytest.raises(FaultError, match="frame proxy"):
        proxy.on("SEND", action=rules.DROP)
    with pytest.raises(FaultError, match="delay"):
        proxy.delay = -1
    with pytest.raises(FaultError, match="rate"):
        proxy.rate = 0
    with pytest.raises(FaultError, match="no address"):
        ByteProxy("host.invalid", 1)


def test_a_failing_predicate_cuts_its_connection_and_is_told_at_the_end(echo: EchoServer) -> None:
    proxy = ByteProxy("127.0.0.1", echo.port)
    proxy.on(action=rules.DROP, where=lambda frame: bool(1 // 0))
    with connect(proxy) as connection:
        connection.sendall(b"x")
        with pytest.raises(ConnectionResetError):
            connection.recv(1)
    with pytest.raises(FaultError, match="ZeroDivisionError"):
        proxy.close()


def test_a_predicate_cannot_use_the_proxy(echo: EchoServer) -> None:
    proxy = ByteProxy("127.0.0.1", echo.port)
    proxy.on(action=rules.DROP, where=lambda frame: proxy.relayed(frame.direction) > 0)
    with connect(proxy) as connection:
        connection.sendall(b"x")
        with pytest.raises(ConnectionResetError):
            connection.recv(1)
    with pytest.raises(FaultError, match="used the proxy"):
        proxy.close()


def test_connections_made_during_cuts_are_cut_or_whole(proxy: ByteProxy) -> None:
    for _ in range(50):
        with suppress(ConnectionResetError), connect(proxy) as connection:
            proxy.cut()
            assert proxy.connections == 0
            connection.recv(1)


def test_nothing_is_left_after_close(echo: EchoServer) -> None:
    before = open_files()
    proxy = ByteProxy("127.0.0.1", echo.port)
    names = {thread.name for thread in threading.enumerate()}
    assert f"fault-proxy-{proxy.port}" in names
    connections = [connect(proxy) for _ in range(5)]
    for connection in connections:
        echoed(connection)
    proxy.stall()
    connections[0].sendall(b"unsent")
    proxy.close()
    proxy.close()
    for connection in connections:
        connection.close()
    echo.wait_until_all_ended(5)
    assert f"fault-proxy-{proxy.port}" not in {each.name for each in threading.enumerate()}
    assert open_files() == before
    socket.create_server(("127.0.0.1", proxy.port)).close()
    with pytest.raises(FaultError, match="closed"):
        proxy.cut()
