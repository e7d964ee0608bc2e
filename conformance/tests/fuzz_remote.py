"""Values of another process, as they come through the pipe."""

from __future__ import annotations

import json
from collections.abc import Mapping

from fuzz.json_changes import change_document
from fuzz.targets import Target
from jms_clients.remote_values import Json, OtherProcessError, decode, encode


class _Objects:
    """All objects are known, by their names."""

    def name(self, value: object) -> dict[str, Json]:
        return {"number": getattr(value, "number", 0)}

    def named(self, name: Mapping[str, Json]) -> object:
        return _Named()


class _Named:
    """An object of the other side."""


def _values(data: bytes) -> None:
    try:
        read = json.loads(data)
    except (ValueError, RecursionError):
        return  # for `Peer.read` to refuse
    value = decode(read, _Objects())
    again = decode(encode(value, _Objects()), _Objects())
    if not isinstance(value, Exception):  # which comes by the nearest class that is known
        assert type(again) is type(value)


TARGETS = (Target("remote-values", "conformance", _values, (OtherProcessError,), change_document),)
