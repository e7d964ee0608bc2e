"""Selectors: hostile texts, judged on hostile properties."""

from __future__ import annotations

from fuzz.mutations import words
from fuzz.targets import Target
from jmsapi import InvalidSelectorException
from pulsar_jms.mapping.properties import Unreadable, received_names, received_property
from pulsar_jms.selectors import Selector
from pulsar_jms.selectors.at_broker import means_the_same


def _selector(data: bytes) -> None:
    """The first line is the selector, the others are raw properties."""
    text, *lines = data.decode("utf-8", "replace").split("\n")
    selector = Selector.parse(text)
    pairs = (line.partition("=") for line in lines)
    wire = {name: value for name, _, value in pairs}
    properties = {name: received_property(wire, name) for name in received_names(wire)}
    values = {name: v for name, v in properties.items() if not isinstance(v, Unreadable)}
    assert selector.matches(values) in (True, False)
    if selector.text.strip():  # De Morgan: what is selected is not rejected by its opposite
        opposite = Selector.parse(f"NOT ({text})")
        assert not (selector.matches(values) and opposite.matches(values))
    means_the_same(selector)


_WORDS = words(
    *(
        "NOT",
        "AND",
        "OR",
        "BETWEEN",
        "LIKE",
        "IN",
        "IS",
        "NULL",
        "ESCAPE",
        "TRUE",
        "(",
        ")",
        ",",
        "'",
    ),
    *(
        "=",
        "<>",
        "<=",
        "+",
        "-",
        "*",
        "/",
        "%",
        "_",
        "x",
        "n",
        "'%a%'",
        "1.5",
        "0x1F",
        "1e308",
        "\n",
    ),
    *("x_jsmtype=double", "n_jsmtype=int", "n=", "9223372036854775808", "-9223372036854775808"),
)

TARGETS = (Target("selectors", "impl", _selector, (InvalidSelectorException,), _WORDS),)
