"""The messages that clients exchange, as data: what an application sets, and the raw message.

A sample's raw form is what the documents say that a JMS client writes, in the spelling of the real
client. Its name travels in the property `sample`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from jmsapi import Byte, Char, Double, Float, Int, Long, PropertyValue, Short, Value
from touchstone.interop.wire_forms import java_object, map_of_one, stream

NAME = "sample"
"""The property that holds the name of the sample."""
KINDS = ("text", "bytes", "stream", "map", "object", "header")
NO_BYTES = b""


@dataclass(frozen=True)
class SampleMessage:
    """One message. `payload` None is Pulsar's null value."""

    name: str
    kind: str
    content: object
    payload: bytes | None
    headers: Mapping[str, str | bytes] = field(default_factory=dict)
    """Attributes of the message that are set before it is sent."""
    reply_to: tuple[str, str] | None = None
    """`queue` or `topic`, and its name."""
    properties: Mapping[str, PropertyValue] = field(default_factory=dict)
    options: Mapping[str, int] = field(default_factory=dict)
    """`delivery_mode`, `priority`, `time_to_live` of the send."""
    raw: Mapping[str, str] = field(default_factory=dict)
    """Raw properties besides the type, the times and the application's own."""
    raw_forms: frozenset[str] = frozenset()
    """Raw properties of which the documents dispute whether they are there; here they are looked
    at, elsewhere both is right."""
    key: str | None = None
    free_order: bool = False
    """Whether the payload may be written in several ways, so that it is not compared."""
    foreign: bool = False
    """Whether no JMS client sends it: without a message type."""

    @property
    def has_raw_form(self) -> bool:
        """Whether a raw client can send it."""
        return self.payload is not None or not self.free_order


def _sample(
    name: str, kind: str, content: object, payload: bytes | None, **more: object
) -> SampleMessage:
    return SampleMessage(f"{kind}-{name}", kind, content, payload, **more)  # type: ignore[arg-type]


TEXTS = {
    "plain": "hi",
    "empty": "",
    "blank": " \t\r\n ",
    "umlaut": "Grüße, żółć, Ελλάδα",
    "astral": "\U0001f600\U0010ffff",
    "nul": "a\x00b",
    "order-marks": "\ufeff\u202eabc\u2028",
    "decomposed": "e\u0301",
    "markup": "<script>alert('&amp;')</script>",
    "large": "Größe " * 50_000,
}
NUMBERS: Mapping[str, Sequence[Value]] = MappingProxyType(
    {
        "boolean": (True, False),
        "byte": (Byte(-128), Byte(0), Byte(127)),
        "short": (Short(-(2**15)), Short(0), Short(2**15 - 1)),
        "int": (Int(-(2**31)), Int(0), Int(2**31 - 1)),
        "long": (Long(-(2**63)), Long(0), Long(2**63 - 1)),
        "float": tuple(map(Float, (-0.0, 0.1, 1.4e-45, -3.4028235e38, float("inf"), float("nan")))),
        "double": tuple(
            map(Double, (-0.0, 0.1, 4.9e-324, -1.7976931348623157e308, float("-inf"), float("nan")))
        ),
    }
)
"""Values of each numeric type, with the extreme ones."""
CHARS = (Char("A"), Char("\x00"), Char("\uffff"), Char("é"))
STRINGS = ("", "é\x00\U0001f600", "x" * 300)
ARRAYS = (b"", bytes(range(256)))


def _bodies() -> Iterable[SampleMessage]:
    for name, text in TEXTS.items():
        yield _sample(name, "text", text, text.encode())
    yield _sample("null", "text", None, None)

    for name, content in {
        "empty": b"",
        "all": bytes(range(256)),
        "zeros": bytes(5),
        "magic": bytes.fromhex("aced0005"),
        "large": bytes(range(256)) * 1200,
    }.items():
        yield _sample(name, "bytes", content, content)

    for name, values in (*NUMBERS.items(), ("char", CHARS), ("string", STRINGS), ("array", ARRAYS)):
        yield _sample(name, "stream", list(values), stream(values))
    nulls = [None, Int(1), None]
    yield _sample("empty", "stream", [], b"")
    yield _sample("nulls", "stream", nulls, stream(nulls))
    yield _sample("longest-string", "stream", ["é" * 32767], stream(["é" * 32767]))

    for name, values in (*NUMBERS.items(), ("char", CHARS), ("string", STRINGS), ("array", ARRAYS)):
        for number, value in enumerate(values, 1):
            payload = map_of_one("k", value)
            yield _sample(f"{name}-{number}", "map", {"k": value}, payload)
            yield _sample(f"{name}-{number}", "object", value, java_object(value))
    several = dict(zip("abcdefghijklm", _SEVERAL_VALUES, strict=True))
    yield _sample("empty", "map", {}, None)
    yield _sample("null-entry", "map", {"k": None}, map_of_one("k", None))
    yield _sample("several", "map", several, _SEVERAL, free_order=True)
    for name, key in {"long": "q" * 300, "odd": "é\x00 \U0001f600"}.items():
        yield _sample(f"{name}-key", "map", {key: Int(1)}, map_of_one(key, Int(1)))
    yield _sample("long-string", "map", {"k": "y" * 70_000}, map_of_one("k", "y" * 70_000))

    yield _sample("null", "object", None, None)
    yield _sample("long-string", "object", "y" * 70_000, java_object("y" * 70_000))
    yield _sample("map", "object", {"a": "b"}, _HASH_MAP)
    yield _sample("list", "object", ["x"], _ARRAY_LIST)
    nested = {"list": [Int(1), "x", None, {"deep": True}], "bytes": b"\x01"}
    yield _sample("nested", "object", nested, None, free_order=True)


_SEVERAL_VALUES: tuple[Value | None, ...] = (
    *(Int(1), Int(2), "x", "x", Long(3), Byte(4), None),
    *(b"\x09", b"\x08", Int(5), True, False, Char("c")),
)
_SEVERAL = bytes.fromhex(
    "aced000577070000000d000161737200116a6176612e6c616e672e496e746567657212e2a0a4f7818738020001490005"
    "76616c7565787200106a6176612e6c616e672e4e756d62657286ac951d0b94e08b02000078700000000177030001627371"
    "007e00000000000277030001637400017877030001647400017877030001657372000e6a6176612e6c616e672e4c6f6e67"
    "3b8be490cc8f23df0200014a000576616c75657871007e0001000000000000000377030001667372000e6a6176612e6c61"
    "6e672e427974659c4e6084ee50f51c02000142000576616c75657871007e0001047703000167707703000168757200025b"
    "42acf317f8060854e00200007870000000010977030001697571007e000a0000000108770300016a7371007e0000000000"
    "05770300016b737200116a6176612e6c616e672e426f6f6c65616ecd207280d59cfaee0200015a000576616c7565787001"
    "770300016c7371007e000e00770300016d737200136a6176612e6c616e672e436861726163746572348b47d96b1a267802"
    "000143000576616c756578700063"
)
_HASH_MAP = bytes.fromhex(
    "aced0005737200116a6176612e7574696c2e486173684d61700507dac1c31660d103000246000a6c6f6164466163746f72"
    "4900097468726573686f6c6478703f4000000000000c77080000001000000001740001617400016278"
)
_ARRAY_LIST = bytes.fromhex(
    "aced0005737200136a6176612e7574696c2e41727261794c6973747881d21d99c7619d03000149000473697a6578700000"
    "00017704000000017400017878"
)


def _headers(system_namespace: str) -> Iterable[SampleMessage]:
    """Samples about headers and properties; names without a namespace mean `system_namespace`."""

    def text(name: str, **more: object) -> SampleMessage:
        return SampleMessage(name, "text", "h", b"h", **more)  # type: ignore[arg-type]

    yield SampleMessage("header-only", "header", None, None)
    for name, type_ in {
        "plain": "order",
        "empty": "",
        "odd": "é <b>&\n",
        "long": "t" * 9000,
    }.items():
        yield text(f"type-{name}", headers={"jms_type": type_}, raw={"JMSType": type_})
    for name, given, encoded in (
        ("plain", "c-1", "Yy0x"),
        ("umlaut", "c é", "YyDDqQ=="),
        ("empty", "", ""),
        ("like-base64", "abcd", "YWJjZA=="),
        ("id", "ID:1:2:-1", "SUQ6MToyOi0x"),
    ):
        yield text(
            f"correlation-{name}",
            headers={"jms_correlation_id": given},
            raw={"JMSCorrelationID": encoded},
        )
    yield text(
        "correlation-bytes",
        headers={"jms_correlation_id_as_bytes": b"\x00\xff\x10"},
        raw={"JMSCorrelationID": "AP8Q"},
    )
    full = f"persistent://{system_namespace}/answers"
    for kind in ("queue", "topic"):
        yield text(
            f"reply-{kind}",
            reply_to=(kind, "answers"),
            raw={"JMSReplyTo": full, "JMSReplyToType": kind},
            raw_forms=frozenset({"JMSReplyToType"}),
        )
    yield text("message-id", raw={"JMSMessageId": "ID:mine"}, raw_forms=frozenset({"JMSMessageId"}))
    yield text("non-persistent", options={"delivery_mode": 1}, raw={"JMSDeliveryMode": "1"})
    for level in range(10):
        raw = {} if level == 4 else {"JMSPriority": str(level)}
        yield text(f"priority-{level}", options={"priority": level}, raw=raw)
    for name, milliseconds in {"minute": 60_000, "century": 100 * 365 * 86_400_000}.items():
        yield text(f"time-to-live-{name}", options={"time_to_live": milliseconds})
    for name, group in {"plain": "g1", "odd": "é <&> \U0001f600", "long": "g" * 1000}.items():
        yield text(f"group-{name}", properties={"JMSXGroupID": group}, key=group,
                   raw_forms=frozenset({"JMSXGroupID"}))  # fmt: skip
    yield text("group-sequence", properties={"JMSXGroupID": "g2", "JMSXGroupSeq": Int(7)}, key="g2")


def _properties() -> Iterable[SampleMessage]:
    def text(name: str, properties: Mapping[str, PropertyValue]) -> SampleMessage:
        return SampleMessage(f"properties-{name}", "text", "p", b"p", properties=properties)

    for name, values in NUMBERS.items():
        yield text(
            name, {f"p{n}": v for n, v in enumerate(values, 1) if not isinstance(v, (Char, bytes))}
        )
    strings = {f"p{n}": text for n, text in enumerate(TEXTS.values(), 1) if len(text) < 1000}
    yield text("string", strings)
    yield text(
        "names", {"größe": Int(1), "$dollar": "d", "_underscore": True, "A": "upper", "a": "lower"}
    )
    yield text("many", {f"p{number:03}": Int(number) for number in range(100)})
    yield text("lengthy", {"p": "v" * 20_000})
    yield text("like-a-number", {"p": "42", "q": "true", "r": "1.5"})


def _foreign() -> Iterable[SampleMessage]:
    for name, payload in {"text": b"abc", "binary": b"\x00\xff\xac\xed", "empty": b""}.items():
        yield SampleMessage(f"foreign-{name}", "bytes", payload, payload, foreign=True)
    yield SampleMessage("foreign-null", "bytes", b"", None, foreign=True)
    yield SampleMessage("foreign-properties", "bytes", b"f", b"f", foreign=True,
                 properties={"p": "v", "number": "12"}, key="k")  # fmt: skip


def samples(system_namespace: str) -> Mapping[str, SampleMessage]:
    """Every sample by its name; `system_namespace` is the one of names without a namespace."""
    every = (*_bodies(), *_headers(system_namespace), *_properties(), *_foreign())
    return MappingProxyType({sample.name: sample for sample in every})


LAST = SampleMessage("last", "text", "last", b"last")
"""Sent behind all others, so that a consumer knows when it has them."""
