"""Selectors, messages, and which of them each selector has to choose, by statement."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from jmsapi import Byte, Double, Float, Int, Long, Short

Rows = Mapping[str, str]
"""The names of the messages that are chosen, in order, by selector."""


@dataclass(frozen=True)
class Table:
    """Messages that are sent for each statement of a subject."""

    name: str
    messages: Mapping[str, Mapping[str, object]]
    """Their properties, by name."""
    statements: Mapping[str, Rows]


def each(key: str, **values: object) -> dict[str, dict[str, object]]:
    """A message for each value of the property `key`."""
    return {name: {key: value} for name, value in values.items()}


BIGGEST, SMALLEST = 2**63 - 1, -(2**63)
LONG_NAME = "n" * 1000

NUMBERS = Table(
    "numbers",
    {
        **each("x", a57=Long(57), a58=Long(58), m957=Long(-957), a957=Long(957), a62=Long(62)),
        **each("x", biggest=Long(BIGGEST), next=Long(BIGGEST - 1)),
        **each("x", smallest=Long(SMALLEST), above=Long(SMALLEST + 1)),
        **each("y", d7000=Double(7000.0), d5790=Double(-5790.0), d7=Double(7.0), d8=Double(8.5)),
        **each("y", d95=Double(-95.7), d6=Double(6.2), huge=Double(1.7976931348623157e308)),
        **each("z", int2=Int(2), float2=Float(2.5), odd=Long(9007199254740993)),
    },
    {
        "JMS-SEL-005": {
            "x = 57": "a57",
            "x = -957": "m957",
            "x = +62": "a62",
            "x = 9223372036854775807": "biggest",
            "x = -9223372036854775808": "smallest",
        },
        "JMS-SEL-006": {
            "y = 7E3": "d7000",
            "y = -57.9E2": "d5790",
            "y = 7.": "d7",
            "y = -95.7": "d95",
            "y = +6.2": "d6",
            "y = 1.7976931348623157E308": "huge",
        },
        "JMS-SEL-026": {
            "z = 2.0": "int2",
            "z > 2": "float2 odd",
            "z = 9007199254740992.0": "odd",
        },
    },
)

PROMOTION = Table(
    "promotion",
    each("z", byte2=Byte(2), short2=Short(2), int2=Int(2), long2=Long(2), byte3=Byte(3)),
    {
        "JMS-SEL-026": {
            "z = 2.0": "byte2 short2 int2 long2",
            "2 = z": "byte2 short2 int2 long2",
            "2.0 = z": "byte2 short2 int2 long2",
            "2.5 < z": "byte3",
        },
    },
)

TEXTS = Table(
    "texts",
    {
        **each("p", one="literal's", two="literal''s", none="literals", empty="", large="größe 大"),
        **each("q", a="a", A="A", after="a ", before=" a", marked="a\u0301"),
        **each("country", UK="UK", Peru="Peru"),
        **each("age", a14=14, a15=15, a17=17, a19=19, a20=20),
    },
    {
        "JMS-SEL-004": {
            "p = 'literal''s'": "one",
            "p = ''": "empty",
            "p = 'größe 大'": "large",
        },
        "JMS-SEL-029": {"q = 'a'": "a", "q <> 'a'": "A after before marked"},
        "JMS-SEL-032": {
            "age BETWEEN 15 AND 19": "a15 a17 a19",
            "age NOT BETWEEN 15 AND 19": "a14 a20",
        },
        "JMS-SEL-033": {
            "country IN ('UK', 'US')": "UK",
            "country NOT IN ('UK', 'US')": "Peru",
            "country IN ('Peru')": "Peru",
        },
    },
)

_W = "123 12993 1234 lose loose dot x3 star abc lines _foo bar a% ab"
LIKE = Table(
    "like",
    {
        **{name: {"w": name} for name in _W.split()},
        **each("w", dot="1.3", x3="1x3", star="a*c", lines="12\n3"),
        "none": {},
    },
    {
        "JMS-SEL-034": {
            "w LIKE '12%3'": "123 12993 lines",
            "w LIKE 'l_se'": "lose",
            "w LIKE '1.3'": "dot",
            "w LIKE 'a*c'": "star",
            "w LIKE '1_3'": "123 dot x3",
            "w NOT LIKE 'l_se'": _W.replace(" lose", ""),
        },
        "JMS-SEL-035": {
            r"w LIKE '\_%' ESCAPE '\'": "_foo",
            "w LIKE 'a!%' ESCAPE '!'": "a%",
        },
        "JMS-SEL-036": {
            "w LIKE '%o%'": "lose loose _foo",
            "w NOT LIKE 'lose'": _W.replace(" lose", ""),
            "NOT (w LIKE 'lose')": _W.replace(" lose", ""),
        },
    },
)

NULLS = Table(
    "nulls",
    {
        **each("p", one=1, two=2),
        "none": {},
        **each("q", zero=0, empty="", no=False),
    },
    {
        "JMS-SEL-011": {"p = 1": "one", "p <> 1": "two", "p IS NULL": "none zero empty no"},
        "JMS-SEL-018": {"p = 1": "one", "NOT (p = 1)": "two"},
        "JMS-SEL-027": {
            "p = 1": "one",
            "NOT (p = 1)": "two",
            "p < 2": "one",
            "NOT (p < 2)": "two",
            "p <> 1": "two",
            "1 <> p": "two",
            "NOT (1 = p)": "two",
        },
        "JMS-SEL-037": {"p IS NULL": "none zero empty no", "q IS NULL": "one two none"},
        "JMS-SEL-038": {"p IS NOT NULL": "one two", "q IS NOT NULL": "zero empty no"},
    },
)

TYPES = Table(
    "types",
    {
        **each("p", long=Long(2), float=Float(2.0), text="2"),
        "Color": {"Color": "red"},
        "color": {"color": "red"},
        **each("s", text1="1", int1=1, int7=7),
        **each("b", true=True, texttrue="true"),
        **each("n", number=1, a="a"),
    },
    {
        "JMS-SEL-012": {"p = 2": "long float", "p = '2'": "text"},
        "JMS-SEL-014": {
            "Color = 'red'": "Color",
            "color = 'red'": "color",
            "color IS NULL AND Color IS NOT NULL": "Color",
        },
        "JMS-SEL-025": {
            "s = 1": "int1",
            "s <> 1": "int7",
            "b = 'true'": "texttrue",
            "b = TRUE": "true",
            "n = 'a'": "a",
        },
    },
)

IDENTIFIERS = Table(
    "identifiers",
    {
        "underscore": {"_a": 1},
        "dollar": {"$b": 1},
        "letters": {"größe": 1},
        "digit": {"x1": 1},
    },
    {
        "JMS-SEL-008": {
            "_a = 1": "underscore",
            "$b = 1": "dollar",
            "größe = 1": "letters",
            "x1 = 1": "digit",
        }
    },
)

LONG_IDENTIFIER = Table(
    "long-identifier",
    {"long": {LONG_NAME: 1}, "other": {f"{LONG_NAME}n": 1}},
    {"JMS-SEL-008": {f"{LONG_NAME} = 1": "long"}},
)


_TRUTHS = {
    "".join("T" if value else "F" for value in values): values
    for values in product((True, False), repeat=3)
}


def _where(condition: Callable[[bool, bool, bool], bool]) -> str:
    """The names of the messages whose a, b and c are so."""
    return " ".join(name for name, values in _TRUTHS.items() if condition(*values))


BOOLEANS = Table(
    "booleans",
    {name: dict(zip("abc", values, strict=True)) for name, values in _TRUTHS.items()},
    {
        "JMS-SEL-007": {
            "a = TRUE": _where(lambda a, b, c: a),
            "a <> FALSE": _where(lambda a, b, c: a),
            "a = FALSE": _where(lambda a, b, c: not a),
            "a": _where(lambda a, b, c: a),
            "TRUE": " ".join(_TRUTHS),
        },
        "JMS-SEL-021": {
            "(a OR b) AND c": _where(lambda a, b, c: (a or b) and c),
            "a OR (b AND c)": _where(lambda a, b, c: a or (b and c)),
            "NOT (a AND b)": _where(lambda a, b, c: not (a and b)),
        },
        "JMS-SEL-023": {
            "TRUE OR TRUE AND FALSE": " ".join(_TRUTHS),
            "NOT FALSE OR TRUE": " ".join(_TRUTHS),
            "a OR b AND c": _where(lambda a, b, c: a or (b and c)),
            "NOT a AND b": _where(lambda a, b, c: (not a) and b),
            "NOT a OR b": _where(lambda a, b, c: (not a) or b),
        },
    },
)

ARITHMETIC = Table(
    "arithmetic",
    {
        **each("x", i2=2, i3=3, i4=4, i5=5, i6=6, i7=7, i9=9, i12=12, i14=14, i20=20, im6=-6),
        **each("h", h3=3.0, h35=3.5),
        **each("y", biggest=Long(BIGGEST), smallest=Long(SMALLEST)),
        "sum1": {"u": 5, "v": 6},
        "sum2": {"u": 4, "v": 2},
        "sum3": {"u": 6, "v": 8},
        "half": {"u": 5},
    },
    {
        "JMS-SEL-019": {"(u + 1) * 2 - v / 2 = 9": "sum1 sum2"},
        "JMS-SEL-021": {"(2 + 3) * 4 = x": "i20"},
        "JMS-SEL-022": {"10 - 4 - 3 = x": "i3", "24 / 4 / 2 = x": "i3"},
        "JMS-SEL-024": {
            "x > 9": "i12 i14 i20",
            "x >= 9": "i9 i12 i14 i20",
            "x < 3": "i2 im6",
            "x <= 3": "i2 i3 im6",
            "x = 5": "i5",
            "x <> 5": "i2 i3 i4 i6 i7 i9 i12 i14 i20 im6",
        },
        "JMS-SEL-030": {
            "2 + 3 * 4 = x": "i14",
            "-2 * 3 = x": "im6",
            "10 - 6 / 2 = x": "i7",
            "-x + 3 = 1": "i2",
        },
        "JMS-SEL-031": {
            "7 / 2 = h": "h3",
            "7 / 2.0 = h": "h35",
            "y + 1 < 0": "biggest smallest",
        },
    },
)

WORDS = Table(
    "words",
    {
        "first": {"x": 1, "y": 2, "flag": False},
        "second": {"x": 2, "y": 2, "flag": True},
        "third": {"x": 1, "flag": False},
        "fourth": {"x": 4, "z": "a", "flag": True},
        "fifth": {"x": 4, "z": "b", "flag": True},
    },
    {
        "JMS-SEL-017": {"x\t=\n1\fAND\ry = 2": "first", "\n\f x\r= 4\t": "fourth fifth"},
        "JMS-SEL-020": {
            "flag AND (x > 2 OR NOT (z IS NOT NULL))": "second fourth fifth",
            "flag AND (x > 4 OR NOT z = 'a')": "fifth",
        },
        "JMS-SEL-040": {
            "x Between 1 aNd 3 anD nOt (y iS nULL) oR z lIke 'A%' Or z iN ('b')": (
                "first second fifth"
            ),
            "flag = true and z is not null": "fourth fifth",
        },
    },
)

TABLES: Sequence[Table] = (
    NUMBERS,
    PROMOTION,
    TEXTS,
    LIKE,
    NULLS,
    TYPES,
    IDENTIFIERS,
    LONG_IDENTIFIER,
    BOOLEANS,
    ARITHMETIC,
    WORDS,
)

_RESERVED = ("NOT", "AND", "OR", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE")
INVALID: Mapping[str, Sequence[str]] = {
    "JMS-SEL-008": ("1x = 1", "x# = 1"),
    "JMS-SEL-009": (
        "NULL IS NULL",
        "null is null",
        "TRUE IN ('a')",
        "true in ('a')",
        "FALSE LIKE 'a'",
        "false like 'a'",
    ),
    "JMS-SEL-010": tuple(f"{word} = 1" for each in _RESERVED for word in (each, each.lower())),
    "JMS-SEL-024": ("x != 1", "x == 1"),
    "JMS-SEL-035": ("w LIKE 'a' ESCAPE '!!'",),
    "JMS-SEL-066": ("x = 1 -- a comment", "x = 1 -- a comment\n", "x = 1 /* a comment */"),
}
"""Texts that are no selectors, by statement."""

CONJUNCTIONS = {
    "JMS-SEL-042": ("TT", "T"),
    "JMS-SEL-043": ("TF", "F"),
    "JMS-SEL-044": ("TU", "U"),
    "JMS-SEL-045": ("FT", "F"),
    "JMS-SEL-046": ("FF", "F"),
    "JMS-SEL-047": ("FU", "F"),
    "JMS-SEL-048": ("UT", "U"),
    "JMS-SEL-049": ("UF", "F"),
    "JMS-SEL-050": ("UU", "U"),
}
"""What AND makes of two values, true, false or unknown, by statement."""
DISJUNCTIONS = {
    "JMS-SEL-052": ("TT", "T"),
    "JMS-SEL-053": ("TF", "T"),
    "JMS-SEL-054": ("TU", "T"),
    "JMS-SEL-055": ("FT", "T"),
    "JMS-SEL-056": ("FF", "F"),
    "JMS-SEL-057": ("FU", "U"),
    "JMS-SEL-058": ("UT", "T"),
    "JMS-SEL-059": ("UF", "U"),
    "JMS-SEL-060": ("UU", "U"),
}
"""The same of OR."""
NEGATIONS = {
    "JMS-SEL-062": ("T", "F"),
    "JMS-SEL-063": ("F", "T"),
    "JMS-SEL-064": ("U", "U"),
}
"""What NOT makes of one."""
