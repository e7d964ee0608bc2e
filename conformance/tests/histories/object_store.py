"""A store of objects that speaks enough of S3 for pyarrow to read: sizes, ranges, lists.

The client is the real one, that of pyarrow; what it is answered comes from a folder.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

_NAMESPACE: Final = "http://s3.amazonaws.com/doc/2006-03-01/"


@contextmanager
def object_store(folder: Path) -> Iterator[str]:
    """Serves the folders below `folder` as buckets while the block runs; the address of it."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(folder))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler_of(folder: Path) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """One request for an object or for a list of them."""

        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Says nothing."""

        def do_HEAD(self) -> None:
            self._answer(with_body=False)

        def do_GET(self) -> None:
            self._answer(with_body=True)

        def _answer(self, *, with_body: bool) -> None:
            address = urlsplit(self.path)
            path = unquote(address.path).strip("/")
            asked = parse_qs(address.query)
            if "list-type" in asked:
                names = _listed(folder / path, asked.get("prefix", [""])[0])
                self._send(200, names.encode(), {"Content-Type": "application/xml"}, with_body)
                return
            file = folder / path
            if not file.is_file():
                self._send(200 if file.is_dir() and "/" not in path else 404, b"", {}, with_body)
                return
            content, status, headers = file.read_bytes(), 200, {"ETag": '"1"'}
            if wanted := re.match(r"bytes=(\d+)-(\d+)", self.headers.get("Range", "")):
                first, last = int(wanted[1]), int(wanted[2])
                size, content = len(content), content[first : last + 1]
                headers["Content-Range"] = f"bytes {first}-{first + len(content) - 1}/{size}"
                status = 206
            self._send(status, content, headers, with_body)

        def _send(
            self, status: int, content: bytes, headers: dict[str, str], with_body: bool
        ) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if with_body:
                self.wfile.write(content)

    return Handler


def _listed(bucket: Path, prefix: str) -> str:
    """What lies directly below a prefix that ends with a slash."""
    entries = sorted((bucket / prefix).iterdir()) if (bucket / prefix).is_dir() else []
    names = [
        f"<Contents><Key>{escape(prefix + entry.name)}</Key><Size>{entry.stat().st_size}</Size>"
        "<LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>"
        if entry.is_file()
        else f"<CommonPrefixes><Prefix>{escape(prefix + entry.name)}/</Prefix></CommonPrefixes>"
        for entry in entries
    ]
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="{_NAMESPACE}">'
        f"<Name>{bucket.name}</Name><Prefix>{escape(prefix)}</Prefix><Delimiter>/</Delimiter>"
        f"<KeyCount>{len(names)}</KeyCount><MaxKeys>1000</MaxKeys>"
        f"<IsTruncated>false</IsTruncated>{''.join(names)}</ListBucketResult>"
    )
