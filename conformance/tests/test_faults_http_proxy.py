"""The HTTP proxy in front of a local server."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from jms_brokers.faults.http_proxy import HttpProxy, request_size
from jms_brokers.faults.rules import DROP, PASS, Answer, FaultError


class Echo(BaseHTTPRequestHandler):
    """Answers with the method and the body that came."""

    protocol_version = "HTTP/1.1"

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = f"{self.command} {self.path} ".encode() + body
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_PUT = do_DELETE = _answer  # noqa: N815 - the names are http.server's

    def log_request(self, code: object = "-", size: object = "-") -> None:
        """Silence."""


@pytest.fixture
def proxy() -> Iterator[HttpProxy]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    with closing(HttpProxy("127.0.0.1", server.server_port)) as proxy:
        yield proxy
    server.shutdown()
    server.server_close()
    thread.join(10)


@pytest.fixture
def client(proxy: HttpProxy) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=f"http://{proxy.host}:{proxy.port}", trust_env=False) as client:
        yield client


def test_requests_pass_and_are_seen(proxy: HttpProxy, client: httpx.Client) -> None:
    assert client.put("/a%20b/c?x=1", content=b"body").text == "PUT /a%20b/c?x=1 body"
    assert client.get("/d").text == "GET /d "
    assert [frame.fields["path"] for frame in proxy.seen("PUT", "GET")] == ["/a b/c", "/d"]


def test_a_request_is_answered_by_a_rule(proxy: HttpProxy, client: httpx.Client) -> None:
    rule = proxy.on("DELETE", action=Answer("SERVICE_UNAVAILABLE", "not now"), times=1)
    refused = client.delete("/a")
    assert (refused.status_code, refused.json()) == (503, {"reason": "not now"})
    assert client.delete("/a").text == "DELETE /a "
    assert rule.hits == 1


def test_a_request_is_lost_by_a_rule(proxy: HttpProxy, client: httpx.Client) -> None:
    proxy.on("GET", action=DROP, where=lambda frame: frame.fields["path"] == "/lost")
    assert client.get("/kept").text == "GET /kept "
    with pytest.raises(httpx.ReadTimeout):
        client.get("/lost", timeout=0.2)


@pytest.mark.parametrize(
    ("types", "action", "says"),
    [
        (("FETCH",), PASS, "FETCH"),
        (("GET",), Answer("nonsense"), "nonsense"),
        ((), Answer("CONFLICT"), "no request"),
        (("RESPONSE",), Answer("CONFLICT"), "no request"),
    ],
)
def test_a_rule_that_cannot_work_is_refused(
    proxy: HttpProxy, types: tuple[str, ...], action: Answer, says: str
) -> None:
    with pytest.raises(FaultError, match=says):
        proxy.on(*types, action=action)


def test_what_is_no_http_is_an_error_of_the_proxy() -> None:
    with pytest.raises(FaultError, match="HTTP"):
        request_size(b"\x16\x03\x01 hello\r\n\r\n")


@pytest.mark.parametrize(
    "request_",
    [
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"PUT / HTTP/1.1\r\ncontent-length: 4\r\n\r\nbody",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
        b"4\r\nbody\r\n2;x\r\n\r\n\r\n0\r\n\r\n",
    ],
)
def test_a_request_is_whole_at_its_last_byte(request_: bytes) -> None:
    for size in range(len(request_)):
        assert request_size(request_[:size]) is None
    assert request_size(request_ + b"GET ") == len(request_)
