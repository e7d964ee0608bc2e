"""Values of AMQP 1.0 for tests, drawn at random, and how they are compared."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from jms_brokers.amqp.composites import Composite
from jms_brokers.amqp.values import (
    Array,
    Byte,
    Char,
    Decimal,
    Described,
    Float,
    Int,
    Long,
    Short,
    Symbol,
    Timestamp,
    UByte,
    UInt,
    ULong,
    UShort,
)


def numbers_of(kind: type[Any]) -> st.SearchStrategy[Any]:
    low = -(1 << kind.bits - 1) if kind.signed else 0
    high = (1 << (kind.bits - 1 if kind.signed else kind.bits)) - 1
    return st.integers(low, high).map(kind)


unknown = st.integers(0x100, 2**64 - 1).map(ULong)
"""Descriptors of no composite type."""
names = st.text(st.characters(max_codepoint=127), max_size=300).map(Symbol)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=300)
simple = st.one_of(
    st.none(),
    st.booleans(),
    *(numbers_of(each) for each in (UByte, UShort, UInt, ULong, Byte, Short, Int, Long, Timestamp)),
    st.floats(width=32, allow_nan=False).map(Float),
    st.floats(allow_nan=False),
    st.characters(exclude_categories=["Cs"]).map(Char),
    st.uuids(),
    st.binary(max_size=300),
    texts,
    names,
    st.sampled_from([4, 8, 16]).flatmap(lambda n: st.binary(min_size=n, max_size=n).map(Decimal)),
    st.lists(names, min_size=1, max_size=4).map(Array),
    st.lists(texts, min_size=1, max_size=4).map(Array),
)
values = st.recursive(
    simple,
    lambda inner: st.one_of(
        st.lists(inner, max_size=5),
        st.dictionaries(names | texts, inner, max_size=4),
        st.builds(Described, unknown | names, inner),
    ),
    max_leaves=12,
)


def typed(value: Any) -> Any:
    """`value` with the class of everything in it, which `==` does not look at."""
    match value:
        case Described():
            return "described", typed(value.descriptor), typed(value.value)
        case list():
            return type(value).__name__, [typed(item) for item in value]
        case dict():
            return [(typed(key), typed(item)) for key, item in value.items()]
        case Composite():
            return value.type, [(name, typed(item)) for name, item in value.fields.items()]
    return type(value).__name__, value
