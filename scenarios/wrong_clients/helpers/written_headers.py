"""Header fields that are changed when they have been written."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from pulsar_jms.mapping.headers import HeaderFields, write_headers


def headers_rewritten(
    rewrite: Callable[[dict[str, str], HeaderFields], object],
) -> Callable[..., None]:
    """The header fields are written as they should be, and then changed by `rewrite`."""

    @wraps(rewrite)
    def write(fields: HeaderFields, namespace: str, wire: dict[str, str]) -> None:
        write_headers(fields, namespace, wire)
        rewrite(wire, fields)

    return write
