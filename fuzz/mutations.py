"""How an input becomes another by its structure: numbers and parts of bytes, words of a text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from fuzz.targets import Mutation

_WORD = re.compile(r"\w+|\W")
_EXTREME = (
    0,
    1,
    -1,
    2,
    127,
    -128,
    255,
    32_767,
    -32_768,
    65_535,
    1 << 31,
    -(1 << 31),
    (1 << 63) - 1,
)
_NUMBERS = [str(number) for number in _EXTREME] + ["1e309", "1e-400", "0x1p1024", "NaN"]


def structure(data: bytes, random: Random) -> bytes:
    """Another number in place of one, or a part left out, repeated, moved or put inside another."""
    if not data:
        return bytes((random.randrange(256),))
    start = random.randrange(len(data))
    size = min(random.choice((1, 1, 2, 4, 8, random.randint(1, 64))), len(data) - start)
    part = data[start : start + size]
    match random.randrange(6):
        case 0:
            return data[:start] + data[start + size :]
        case 1:
            return data[:start] + part * random.choice((2, 3, 16, 256)) + data[start + size :]
        case 2:
            to = random.randrange(len(data))
            return data[:to] + part + data[to:]
        case 3:
            return data[: start + 1] + data + data[start + 1 :]
        case 4:
            return data[:start] + bytes((random.randrange(256),)) + data[start + 1 :]
        case _:
            width = random.choice((1, 2, 4, 8))
            near = (*_EXTREME, len(data), len(data) - start, random.getrandbits(8))
            number = random.choice(near) & ((1 << 8 * width) - 1)
            order = random.choice(("big", "little"))
            return data[:start] + number.to_bytes(width, order) + data[start + width :]  # type: ignore[arg-type]


def words(*known: str) -> Mutation:
    """Changes of a text word by word, which also puts in `known` ones and extreme numbers."""
    new: Sequence[str] = (*known, *_NUMBERS)

    def mutate(data: bytes, random: Random) -> bytes:
        parts = _WORD.findall(data.decode("utf-8", "surrogateescape"))
        at = random.randrange(len(parts) + 1)
        size = random.choice((1, 1, 1, 2, 5))
        match random.randrange(5):
            case 0:
                del parts[at : at + size]
            case 1:
                parts[at:at] = [random.choice(new)]
            case 2:
                parts[at : at + 1] = [random.choice(new)]
            case 3:
                parts[at:at] = parts[at : at + size] * random.choice((1, 2, 16, 256))
            case _:
                to = random.randrange(len(parts) + 1)
                parts[to:to] = parts[at : at + size]
        return "".join(parts).encode("utf-8", "surrogateescape")

    return mutate
