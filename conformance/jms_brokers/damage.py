"""What is done to valid bytes and texts so that they are damaged; pure, drawn by a `Random`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

Part = Literal["body", "properties", "headers"]
"""What of a message is damaged."""
PARTS: tuple[Part, ...] = ("body", "properties", "headers")
_LONGEST = 40
"""Bytes of noise."""
_BROKEN_UTF8 = (b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"\xc0\x80", b"a\x80b")
_NO_NUMBERS = (
    *("", " ", "x", "-", "+", ".", "0x", "1,5", "1.5.5", "--7", "7-", "e5", "NaN7", "None", "null"),
    *("\0", "\ud7ff", "1_000", "0b1", "True", "'7'", "∞", "½"),
)
_ENDLESS_NUMBERS = ("9" * 400, "-" + "9" * 400, "0x1p" + "0" * 5000 + "1", "1e" + "9" * 30)


@dataclass(frozen=True)
class Poison:
    """One damaged message by what it is drawn from: the same three always give the same one."""

    kind: str
    number: int
    seed: int

    def draw(self) -> Random:
        """The source of its chances."""
        return Random(f"{self.seed} {self.kind} {self.number}")  # noqa: S311 (no secret)

    def __str__(self) -> str:
        return f"{self.kind}, number {self.number} by seed {self.seed}"


def noise(draw: Random, least: int = 1) -> bytes:
    """Random bytes, `least` of them or more."""
    return draw.randbytes(draw.randint(least, _LONGEST))


def not_utf8(draw: Random) -> bytes:
    """Bytes that are no UTF-8, whatever decoder looks at them."""
    return b"bad" + draw.choice(_BROKEN_UTF8) + draw.choice((b"", b"end"))


def no_number(draw: Random) -> str:
    """A text in which no number can be read, or one that no type of number holds."""
    return draw.choice((*_NO_NUMBERS, *_ENDLESS_NUMBERS))


def nonsense(draw: Random) -> str:
    """A text that means nothing where one of a few words, an address or a number is expected."""
    return draw.choice(
        ("", "x", "\0", "://", "a/b/c/d/e/f", "%zz", "?" * 5, "\ufffe", no_number(draw))
    )


def cut_off(valid: bytes, draw: Random) -> bytes:
    """The bytes without some at the end, at least one."""
    return valid[: draw.randrange(len(valid))]


def damaged(valid: bytes, draw: Random) -> bytes:
    """The bytes with one to three faults, never as they were; at least one byte is needed."""
    content = valid
    while content == valid:
        for _ in range(draw.randint(1, 3)):
            content = draw.choice(_FAULTS)(content, draw) if content else noise(draw)
    return content


def _change(valid: bytes, draw: Random) -> bytes:
    at = draw.randrange(len(valid))
    return valid[:at] + bytes([draw.randrange(256)]) + valid[at + 1 :]


def _insert(valid: bytes, draw: Random) -> bytes:
    at = draw.randrange(len(valid) + 1)
    return valid[:at] + noise(draw) + valid[at:]


def _leave_out(valid: bytes, draw: Random) -> bytes:
    begin = draw.randrange(len(valid))
    return valid[:begin] + valid[begin + draw.randint(1, 8) :]


def _repeat(valid: bytes, draw: Random) -> bytes:
    begin = draw.randrange(len(valid))
    piece = valid[begin : begin + draw.randint(1, 16)]
    return valid[:begin] + piece * draw.randint(2, 5) + valid[begin + len(piece) :]


def _change_size(valid: bytes, draw: Random) -> bytes:
    """Four bytes that may have been a size are another one."""
    at = draw.randrange(len(valid))
    size = draw.choice((0, 1, 0x7F, 0xFF, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF))
    return valid[:at] + size.to_bytes(4, "big") + valid[at + 4 :]


_FAULTS: Sequence[Callable[[bytes, Random], bytes]] = (
    *(cut_off, _change, _insert, _leave_out, _repeat, _change_size),
)
