"""Dataclasses out of what JSON says: each field of its type, and no others."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import lru_cache
from typing import Any, Final, TypeVar, get_args, get_origin, get_type_hints

T = TypeVar("T")

_BOUND: Final = 1 << 63
_TEXTS_FOR: Final[Mapping[Any, Any]] = {int: int, str: str}
"""How the keys of a mapping are made of the texts that JSON has."""


def of_json(kind: type[T], value: object, place: str = "it") -> T:
    """`value` as a `kind`: a dataclass of texts, numbers, truth values, tuples and mappings.

    Raises ValueError, which names the place in the document, for anything else. Numbers have 64
    bits at most.
    """
    result: T = _of(kind, value, place)
    return result


def _of(kind: Any, value: object, place: str) -> Any:
    if is_dataclass(kind):
        return _dataclass(kind, value, place)
    inner = get_args(kind)
    if get_origin(kind) is tuple and isinstance(value, list):
        return tuple(_of(inner[0], item, f"{place}[{at}]") for at, item in enumerate(value))
    if get_origin(kind) is Mapping and isinstance(value, dict):
        make = _TEXTS_FOR[inner[0]]
        return {make(key): _of(inner[1], item, f"{place}.{key}") for key, item in value.items()}
    if kind is object or (type(value) is kind and _fits(value)):
        return value
    raise ValueError(f"{place} is {reprlib.repr(value)}")


def _dataclass(kind: Any, value: object, place: str) -> Any:
    if not isinstance(value, dict):
        raise ValueError(f"{place} is {reprlib.repr(value)}")
    hints, required = _shape(kind)
    for wrong, names in (
        ("lacks", required - value.keys()),
        ("has the unknown", value.keys() - hints.keys()),
    ):
        if names:
            raise ValueError(f"{place} {wrong} {', '.join(sorted(names))}")
    return kind(**{name: _of(hints[name], item, f"{place}.{name}") for name, item in value.items()})


@lru_cache(maxsize=16)
def _shape(kind: Any) -> tuple[dict[str, Any], frozenset[str]]:
    """The types of its fields, and those that have to be there."""
    required = (
        each.name
        for each in fields(kind)
        if each.default is MISSING and each.default_factory is MISSING
    )
    return get_type_hints(kind), frozenset(required)


def _fits(value: object) -> bool:
    return type(value) is not int or -_BOUND <= value < _BOUND
