"""JMS values for Hypothesis, and what it means that two of them are the same.

Every strategy reaches the corners: NaN with any payload, -0.0, subnormals, infinities, both ends of
the integers, NUL, characters beyond the basic plane and, where Java's own encoding carries them,
lone surrogates.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping
from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from jmsapi import Byte, Char, Double, Float, Int, Long, PropertyValue, Short, Value

T = TypeVar("T")

MEBIBYTE = 2**20
"""Length of the long texts and byte arrays that scenarios send; five times that is refused by
Pulsar's default limit."""
NAMES = (
    "plain",
    "PLAIN",
    "plain2",
    "with.dot",
    "with_underscore",
    "with-hyphen",
    "with:colon",
    "per%cent",
    "per%2Fcent",
    "with+plus",
    "with space",
    "\N{GREEK SMALL LETTER ALPHA}-\N{CJK UNIFIED IDEOGRAPH-6F22}-\N{GRINNING FACE}",
    "long" * 50,
)
"""Names that a subscription, a client or a property's value may have: no two may be mistaken."""


def names(*prefixes: str) -> tuple[str, ...]:
    """All of these, and one that begins with each prefix, as if it had been mapped already."""
    return (*NAMES, *(f"{prefix}name" for prefix in prefixes))


def booleans() -> SearchStrategy[bool]:
    """Both of them."""
    return st.booleans()


def bytes_() -> SearchStrategy[Byte]:
    """Every byte, as a number."""
    return _integers(8).map(Byte)


def shorts() -> SearchStrategy[Short]:
    """Every short."""
    return _integers(16).map(Short)


def ints() -> SearchStrategy[Int]:
    """Every int."""
    return _integers(32).map(Int)


def longs() -> SearchStrategy[Long]:
    """Every long."""
    return _integers(64).map(Long)


def floats() -> SearchStrategy[Float]:
    """Every bit pattern of a float, and what people write: corners first."""
    corners = [-0.0, 0.0, 1.4e-45, 1.1754942e-38, 3.4028235e38, math.inf, -math.inf, math.nan, 1.1]
    patterns = _bytes_of(4).map(lambda bits: struct.unpack(">f", bits)[0])
    return st.one_of(st.sampled_from(corners), patterns, _decimals(), st.floats(width=32)).map(
        Float
    )


def doubles() -> SearchStrategy[Double]:
    """Every bit pattern of a double, and what people write: corners first."""
    corners = [-0.0, 0.0, 4.9e-324, 2.225073858507201e-308, 1.7976931348623157e308, math.inf, 2e23]
    patterns = _bytes_of(8).map(lambda bits: struct.unpack(">d", bits)[0])
    return st.one_of(st.sampled_from(corners), patterns, _decimals(), st.floats()).map(Double)


def _bytes_of(length: int) -> SearchStrategy[bytes]:
    """So many bytes, each of which is any as often as another; a drawn integer is mostly small."""
    return st.binary(min_size=length, max_size=length)


def _decimals() -> SearchStrategy[float]:
    """Numbers with a few digits behind the point, such as prices are."""
    digits = st.tuples(st.integers(-99_999, 99_999), st.integers(0, 9_999), st.integers(1, 5))
    return digits.map(lambda of: of[0] + of[1] / 10 ** of[2])


def chars() -> SearchStrategy[Char]:
    """Every UTF-16 code unit, surrogates included."""
    return st.characters(max_codepoint=0xFFFF, categories=None).map(Char)


def texts() -> SearchStrategy[str]:
    """Every text that UTF-8 can carry: no lone surrogates."""
    return st.text(st.characters(exclude_categories=["Cs"])) | st.text("a\0\uffff\U00010000")


def strings(min_size: int = 0) -> SearchStrategy[str]:
    """Every string of Java: lone surrogates too, as its modified UTF-8 carries them.

    A pair of surrogates is one character, as in every Python string that was decoded from UTF-16.
    """
    corners = st.text("a\0\ud800\udfff\U00010000", min_size=min_size)
    units = st.text(st.characters(categories=None), min_size=min_size) | corners
    return units.map(lambda text: text.encode("utf-16-be", "surrogatepass")).map(
        lambda data: data.decode("utf-16-be", "surrogatepass")
    )


def properties() -> Mapping[str, SearchStrategy[PropertyValue]]:
    """The values of each type of message property, by the type's name in JMS."""
    return {
        "boolean": booleans(),
        "byte": bytes_(),
        "short": shorts(),
        "int": ints(),
        "long": longs(),
        "float": floats(),
        "double": doubles(),
        "string": texts(),
    }


def values() -> SearchStrategy[Value]:
    """Every value that a stream or a map can hold, null aside."""
    numbers = (bytes_(), shorts(), ints(), longs(), floats(), doubles())
    return st.one_of(booleans(), *numbers, chars(), strings(), st.binary())


def objects() -> SearchStrategy[object]:
    """Values, null, and lists and string-keyed maps of them, to any depth."""
    return st.recursive(
        st.none() | values(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(strings(), inner, max_size=4),
        max_leaves=10,
    )


def identical(left: object, right: object) -> bool:
    """Whether both are the same value of the same type, as Java's `equals` has it, to any depth.

    Numbers agree in every bit, so -0.0 is not 0.0; a NaN is equal to every NaN of its type.
    """
    if type(left) is not type(right):
        return False
    match left, right:
        case float(), float():
            both_nan = math.isnan(left) and math.isnan(right)
            return both_nan or struct.pack(">d", left) == struct.pack(">d", right)
        case list(), list():
            return len(left) == len(right) and all(map(identical, left, right))
        case dict(), dict():
            return left.keys() == right.keys() and all(identical(left[k], right[k]) for k in left)
    return left == right


_run_seed: int | None = None


def draw_by(run_seed: int) -> None:
    """Let every `for_all` of this process draw the same values for the same seed."""
    global _run_seed
    _run_seed = run_seed


def run_seed() -> int:
    """The seed of the run, 0 outside of one: whoever draws by it draws the same again."""
    return _run_seed or 0


def for_all(
    values: SearchStrategy[T], examples: int = 20
) -> Callable[[Callable[[T], None]], Callable[[T], None]]:
    """Runs the decorated function at once for `examples` of `values`, drawn by the run's seed.

    The first failure is raised as it is, not shrunk: each try sends real messages.
    """

    def run(judge: Callable[[T], None]) -> Callable[[T], None]:
        configured = settings(
            database=None,
            deadline=None,
            max_examples=examples,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        test = configured(given(values)(judge))
        if _run_seed is not None:
            test = seed(_run_seed)(test)
        test()
        return judge

    return run


def _integers(bits: int) -> SearchStrategy[int]:
    bound = 1 << (bits - 1)
    return st.integers(-bound, bound - 1)
