"""How a JSON document becomes another: other values, and fields less, more or twice."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from fuzz.mutations import structure

_ODD: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    127,
    1 << 31,
    -(1 << 31) - 1,
    (1 << 63) - 1,
    1 << 64,
    10**400,
    0.5,
    float("nan"),
    "",
    "a",
    "\ud800",
    "../a",
    "x" * 300,
    [],
    [[]],
    {},
    {"a": 1},
    [None] * 100,
)


def change_document(data: bytes, random: Random) -> bytes:
    """The document with a few changes; what is no JSON has its bytes changed."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return structure(data, random)
    if random.random() < 0.05:
        return structure(data, random)
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        document = _change_value(document, random)
    return json.dumps(document).encode()


def _change_value(value: Any, random: Random) -> Any:
    """The same but for one place in it, mostly a deep one."""
    if not isinstance(value, dict | list) or not value or random.random() < 0.1:
        return _other_value(value, random)
    if isinstance(value, list):
        return _in_list(value, random)
    key = random.choice(list(value))
    match random.randrange(8):
        case 0:
            return {name: entry for name, entry in value.items() if name != key}
        case 1:
            return value | {random.choice((f"{key}x", "0", "-1", "")): value[key]}
        case 2:
            return value | {key: value[random.choice(list(value))]}
        case _:
            return value | {key: _change_value(value[key], random)}


def _in_list(value: list[Any], random: Random) -> list[Any]:
    at = random.randrange(len(value))
    match random.randrange(6):
        case 0:
            return value[:at] + value[at + 1 :]
        case 1:
            return value + value[at : at + 1] * random.choice((1, 2, 50))
        case 2:
            return random.sample(value, len(value))
        case _:
            return [*value[:at], _change_value(value[at], random), *value[at + 1 :]]


def _other_value(value: Any, random: Random) -> Any:
    near: list[Any] = [[value], {"a": value}, str(value)]
    if isinstance(value, int | float):
        near += [value + 1, -value, value * 2, float(value)] if abs(value) < 1e300 else []
    if isinstance(value, str):
        near += [value[:-1], value * 2, value.upper(), f"{value}\n"]
    return random.choice((*_ODD, *near))
