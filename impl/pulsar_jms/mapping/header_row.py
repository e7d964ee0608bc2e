"""The shape of a header field that one raw property carries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class HeaderRow(NamedTuple):
    """Header field `attribute` travels as `property`, unless it holds `default`."""

    property: str
    attribute: str
    default: object
    write: Callable[[Any], str]
    read: Callable[[str], object]
    requirements: tuple[str, ...]
