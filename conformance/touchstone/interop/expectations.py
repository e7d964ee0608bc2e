"""What a consumer has to see of a sample, field by field, and which requirement says so.

Pure functions. A time that is to be the time of sending is expected as `when sent`; `times_told`
puts what was seen into these words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from jmsapi import PropertyValue
from touchstone.interop.parts import SendRecord, View
from touchstone.interop.raw.forms import text_of, type_word
from touchstone.interop.samples import NAME, SampleMessage
from touchstone.interop.shown import shown

Expected = Mapping[str, tuple[str, str]]
"""Value and requirement by field."""
ABSENT = "absent"
"""The value of a field that is not there."""

_BODY_KIND = {
    "text": "SLJ-BODY-001",
    "bytes": "SLJ-BODY-002",
    "stream": "SLJ-BODY-003",
    "map": "SLJ-BODY-004",
    "object": "SLJ-BODY-005",
    "header": "JMS-BODY-002",
}
_PROPERTY = {
    "boolean": "SLJ-PROP-006",
    "byte": "SLJ-PROP-007",
    "short": "SLJ-PROP-008",
    "int": "SLJ-PROP-005",
    "long": "SLJ-PROP-009",
    "float": "SLJ-PROP-014",
    "double": "SLJ-PROP-013",
    None: "SLJ-PROP-010",
}
_RAW_PROPERTY = {"int": "SLJ-PROP-002", "float": "SLJ-PROP-012", "double": "SLJ-PROP-011"}
_RAW_HEADERS = {
    "JMSPulsarMessageType": "SLJ-BODY-006",
    "JMSType": "SLJ-HDR-001",
    "JMSCorrelationID": "SLJ-HDR-002",
    "JMSMessageId": "SLJ-HDR-004",
    "JMSReplyTo": "SLJ-HDR-005",
    "JMSDeliveryMode": "SLJ-MODE-001",
    "JMSPriority": "SLJ-PRIO-001",
    "JMSExpiration": "SLJ-EXP-001",
    "JMSDeliveryTime": "SLJ-DLY-007",
}
_REPLY_TYPE = {"queue": "SLJ-HDR-006", "topic": "SLJ-HDR-007"}
_TIMES = (
    "JMSTimestamp",
    "JMSDeliveryTime",
    "JMSExpiration",
    "raw event time",
    'raw "JMSDeliveryTime"',
    'raw "JMSExpiration"',
)
_DISPUTED = ("JMSMessageId", "JMSReplyToType", "JMSXGroupID")
"""Raw properties of which documents and the real client disagree; see `SampleMessage.raw_forms`."""


def when_sent(later: int = 0) -> str:
    """A time, that many ms after the time of sending."""
    return f"when sent + {later} ms" if later else "when sent"


def times_told(view: Mapping[str, str], sent: SendRecord, later: Sequence[int] = ()) -> View:
    """The view with times in words; `later` are the ms after the sending that may be meant."""
    return {
        name: _time_told(value, sent, later) if name in _TIMES else value
        for name, value in view.items()
    }


def _time_told(value: str, sent: SendRecord, later: Sequence[int]) -> str:
    text = value.strip('"')
    if not text.lstrip("-").isdigit() or text == "0":
        return text
    time = int(text)
    for more in (0, *later):
        if sent.since <= time - more <= sent.until:
            return when_sent(more)
    return f"{time - sent.since:+d} ms from the time of sending"


def read_by_jms(sample: SampleMessage, sent: SendRecord, queue: str) -> Expected:
    """What a JMS client has to see of a sample that was sent to the topic `queue`."""
    lives = sample.options.get("time_to_live", 0)
    priority = sample.options.get("priority", 4)
    mode = sample.options.get("delivery_mode", 2)
    own = {NAME: sample.name, **_own(sample)}
    expected = {
        "kind": (sample.kind, "SLJ-INTR-003" if sample.foreign else _BODY_KIND[sample.kind]),
        "body": (shown(sample.content), "JMS-BODY-001"),
        "JMSMessageID": (shown(sent.message_id), "JMS-HDR-008"),
        "JMSTimestamp": (when_sent(), "JMS-HDR-010"),
        "JMSDeliveryTime": (when_sent(), "JMS-DLY-001"),
        "JMSExpiration": (when_sent(lives), "SLJ-EXP-001") if lives else ("0", "SLJ-EXP-004"),
        "JMSPriority": (str(priority), "SLJ-PRIO-003"),
        "JMSDeliveryMode": (str(mode), "JMS-HDR-004" if mode == 2 else "SLJ-MODE-003"),
        "JMSType": (shown(sample.headers.get("jms_type")), "JMS-HDR-017"),
        "JMSReplyTo": (_reply(sample), "JMS-HDR-015"),
        "JMSDestination": (f"queue {queue}", "JMS-HDR-001"),
        "JMSRedelivered": ("false", "JMS-REDL-001"),
        "JMSXDeliveryCount": ("1", "JMS-REDL-003"),
        "property names": (" ".join(map(shown, sorted(own))), "SLJ-PROP-016"),
        **_correlation(sample),
        **{f"property {shown(name)}": _own_property(value) for name, value in own.items()},
    }
    if sample.foreign:
        texts = {name: text_of(value) for name, value in own.items()}
        expected |= {
            f"property {shown(name)}": (shown(text), "SLJ-PROP-017") for name, text in texts.items()
        }
    if sample.key:
        expected["JMSXGroupID"] = (shown(sample.key), "SLJ-PROP-021")
    if "JMSXGroupSeq" in sample.properties:
        expected["JMSXGroupSeq"] = (text_of(sample.properties["JMSXGroupSeq"]), "SLJ-PROP-024")
    return MappingProxyType(expected)


def _own(sample: SampleMessage) -> dict[str, PropertyValue]:
    return {name: value for name, value in sample.properties.items() if not name.startswith("JMS")}


def _own_property(value: PropertyValue) -> tuple[str, str]:
    return shown(value), _PROPERTY[type_word(value)]


def _reply(sample: SampleMessage) -> str:
    return f"{sample.reply_to[0]} {sample.raw['JMSReplyTo']}" if sample.reply_to else "null"


def _correlation(sample: SampleMessage) -> dict[str, tuple[str, str]]:
    text = sample.headers.get("jms_correlation_id")
    in_bytes = sample.headers.get("jms_correlation_id_as_bytes")
    if in_bytes is not None:
        return {"JMSCorrelationIDAsBytes": (shown(in_bytes), "JMS-HDR-014")}
    return {"JMSCorrelationID": (shown(text), "SLJ-HDR-003")}


def read_raw(sample: SampleMessage, sent: SendRecord) -> Expected:
    """What a raw client has to see of a sample, unless the order of its payload is free."""
    lives = sample.options.get("time_to_live", 0)
    raw = dict(sample.raw)
    if "JMSMessageId" in raw:
        raw["JMSMessageId"] = str(sent.message_id)
    expected: dict[str, tuple[str, str]] = {
        "raw key": (shown(sample.key), "SLJ-PROP-019"),
        "raw event time": (when_sent(), "JMS-HDR-010"),
    }
    if "JMSMessageId" not in raw:
        expected["JMSMessageID"] = (shown(sent.message_id), "JMS-HDR-008")
    if not sample.free_order:
        payload = "no value" if sample.payload is None else shown(sample.payload)
        expected["raw payload"] = (payload, "SLJ-INTR-001")
    texts: dict[str, tuple[str, str]] = {NAME: (sample.name, "SLJ-PROP-001")}
    for name, value in sample.properties.items():
        word = type_word(value)
        if name != "JMSXGroupID":
            texts[name] = (text_of(value), _RAW_PROPERTY.get(str(word), "SLJ-PROP-001"))
        if word:
            texts[f"{name}_jsmtype"] = (word, "SLJ-PROP-015")
    if not sample.foreign:
        texts["JMSPulsarMessageType"] = (sample.kind, "SLJ-BODY-006")
        for name, text in raw.items():
            reply = _REPLY_TYPE[sample.reply_to[0]] if sample.reply_to else ""
            texts[name] = (text, _RAW_HEADERS.get(name, reply))
    expected |= {f"raw {shown(name)}": (shown(text), id_) for name, (text, id_) in texts.items()}
    names = {*texts}
    if not sample.foreign:
        expected['raw "JMSDeliveryTime"'] = (when_sent(), "SLJ-DLY-007")
        names |= {"JMSDeliveryTime", "JMSConnectionID"}
    if lives:
        expected['raw "JMSExpiration"'] = (when_sent(lives), "SLJ-EXP-001")
        names |= {"JMSExpiration", "JMSExpiration_jsmtype"}
    if sample.key and "JMSXGroupID" in sample.raw_forms:
        expected['raw "JMSXGroupID"'] = (ABSENT, "SLJ-PROP-020")
    expected["raw names"] = (_named(names), "SLJ-INTR-002")
    return MappingProxyType(expected)


def _named(names: set[str]) -> str:
    return " ".join(shown(name) for name in sorted(names) if name not in _DISPUTED)


def undisputed(view: Mapping[str, str]) -> View:
    """A raw view whose list of names leaves out those that documents dispute."""
    names = view.get("raw names")
    if names is None:
        return dict(view)
    disputed = {shown(name) for name in _DISPUTED}
    return {**view, "raw names": " ".join(n for n in names.split(" ") if n not in disputed)}
