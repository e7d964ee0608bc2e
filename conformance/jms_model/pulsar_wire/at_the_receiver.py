"""What the receiver has to see of a message that JMS sent."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from jms_model.answers import Permitted, gives, gives_what
from jms_model.headers import Name
from jms_model.properties import GROUP, GROUP_SEQUENCE
from jms_model.pulsar_wire.looks import (
    BODIES,
    IGNORED,
    NUMBER,
    SUFFIXES,
    Look,
    Raw,
    ask_message,
)
from jms_model.pulsar_wire.on_the_wire import NAMES
from jms_model.pulsar_wire.sent import DEFAULT_PRIORITY, PERSISTENT, Known, MessageToSend
from jmsapi.values import Byte, Double, Float, Int, Long, Short

RECEIVED_AS: Final[Mapping[type, str]] = {
    Int: "SLJ-PROP-005",
    bool: "SLJ-PROP-006",
    Byte: "SLJ-PROP-007",
    Short: "SLJ-PROP-008",
    Long: "SLJ-PROP-009",
    str: "SLJ-PROP-010",
    Double: "SLJ-PROP-013",
    Float: "SLJ-PROP-014",
}
"""For each type of property, the statement that it comes back as it was set."""
_OBJECT: Final = "get_object_property"
_EXISTS: Final = "property_exists"
HIDDEN: Final = "SLJ-PROP-016"
"""By which companions are not shown, whatever else is right of a message."""
_RESERVED: Final = "SLJ-PROP-015"
"""Whose names are those of types alone."""


def looks_at_received(
    sent: MessageToSend, raw: Raw, known: Known, *, numbered: bool
) -> Iterator[Look]:
    """All that is asked of a message at each delivery.

    `numbered`: the raw message has its sequence id.
    """
    yield from content_of(sent.kind, sent.content)
    own = {name: value for name, value in sent.properties.items() if name not in known.not_set}
    customs = [name for name in own if name not in (NUMBER, GROUP, GROUP_SEQUENCE)]
    for name in customs:
        if not name.endswith(SUFFIXES):
            yield from property_of(name, own[name])
    typed = [name for name in customs if type(own[name]) is not str]
    yield from looks_at_names(customs, typed, raw.properties)
    group = own.get(GROUP)
    yield from group_of(group if isinstance(group, str) else None)
    yield from _sequence(own, raw, numbered=numbered)
    yield from looks_at_unused_properties()
    yield from _headers(sent, known)
    yield from _options(sent, raw)


def looks_at_unused_properties() -> Iterator[Look]:
    """The properties without a meaning are not there, however often a message is delivered."""
    for name, id_ in IGNORED.items():
        yield ask_message(_EXISTS, [name], gives(False), [id_], f"of {name}")


def content_of(kind: str, content: object, also: Sequence[str] = ()) -> Iterator[Look]:
    """The kind of a message, and what is in it."""
    if kind in BODIES:
        ids, of = [BODIES[kind], *also], f"of a {kind} message"
        yield ask_message("kind", [], gives(kind), ids, of)
        yield ask_message("content", [], gives(content), ids, of)


def property_of(name: str, value: object, id_: str = "") -> Iterator[Look]:
    """A property comes back in its type, and its name is among the names."""
    ids = [id_ or RECEIVED_AS[type(value)]]
    yield ask_message(_OBJECT, [name], gives(value), ids, f"of {NAMES[type(value)]}")


def looks_at_names(
    customs: Collection[str], typed: Collection[str], raw: Collection[str] = ()
) -> Iterator[Look]:
    """The names are those that were set, without companions, which do not exist either.

    `raw` are the names on the wire. A name that the application chose is no companion: whether it
    is shown where it ends with the spelling that is not reserved is left open.
    """
    open_ = [name for name in customs if name.endswith(SUFFIXES[1])]
    wanted = {name for name in customs if not name.endswith(SUFFIXES)}

    def holds(given: object) -> bool:
        names = given if isinstance(given, list) else []
        shown = [name for name in names if name.endswith(SUFFIXES) and name not in open_]
        return not shown and wanted <= {*names}

    permitted = gives_what("the names that were set", holds)
    yield ask_message("property_names", [], permitted, [HIDDEN], name=lambda _: "gave other names")
    unreserved = gives_what("no reserved name", _has_no_reserved)
    yield ask_message(
        "property_names", [], unreserved, [_RESERVED], name=lambda _: "gave a reserved name"
    )
    behind = [name + suffix for name in typed for suffix in SUFFIXES if not name.endswith(SUFFIXES)]
    behind += [name for name in raw if name.endswith(SUFFIXES[0])]
    for name in dict.fromkeys(each for each in behind if each not in customs):
        ids = [HIDDEN, *([_RESERVED] if name.endswith(SUFFIXES[0]) else [])]
        yield ask_message("is_seen", [name], gives(False), ids, "of a companion")


def _has_no_reserved(names: object) -> bool:
    return isinstance(names, list) and not any(name.endswith(SUFFIXES[0]) for name in names)


def group_of(group: str | None) -> Iterator[Look]:
    """JMSXGroupID is the key; that of none may be read as empty, since Pulsar has no empty key."""
    wanted: Permitted | Sequence[Permitted] = gives(group)
    if group is None:
        wanted = [gives(None), gives("")]
    of = "of the group" if group else "of an empty group" if group == "" else "of no group"
    for getter in (_OBJECT, "get_string_property"):
        yield ask_message(getter, [GROUP], wanted, ["SLJ-PROP-021"], of)


def _sequence(own: Mapping[str, object], raw: Raw, *, numbered: bool) -> Iterator[Look]:
    set_ = own.get(GROUP_SEQUENCE)
    if set_ is not None:
        yield ask_message(_OBJECT, [GROUP_SEQUENCE], gives(set_), ["SLJ-PROP-024"], "that was set")
        yield ask_message(
            "get_int_property", [GROUP_SEQUENCE], gives(set_), ["SLJ-PROP-024"], "that was set"
        )
    elif numbered and raw.sequence_id >= 0:
        wanted, ids = gives(raw.sequence_id), ["SLJ-PROP-023"]
        yield ask_message("get_long_property", [GROUP_SEQUENCE], wanted, ids, "that was not set")


def _headers(sent: MessageToSend, known: Known) -> Iterator[Look]:
    yield ask_message("get_jms_type", [], gives(sent.jms_type), ["SLJ-HDR-001"])
    yield from correlation_of(sent.correlation)
    if sent.reply is None or known.reply is None:
        yield ask_message("reply_kind", [], gives("none"), ["SLJ-HDR-005"], "of no reply")
    else:
        yield from looks_at_reply(Name(sent.reply.kind, known.reply))


def correlation_of(value: str | bytes | None) -> Iterator[Look]:
    """A correlation id comes back as what it was set as."""
    if value is None:
        return
    name = "get_jms_correlation_id" + ("_as_bytes" if isinstance(value, bytes) else "")
    yield ask_message(name, [], gives(value), ["SLJ-HDR-003"], "of none" if not value else "")


def looks_at_reply(reply: Name, also: Sequence[str] = ()) -> Iterator[Look]:
    """A reply destination comes back as what it is; the full name of its topic is looked at."""
    id_ = "SLJ-HDR-006" if reply.kind == "queue" else "SLJ-HDR-007"
    either = gives_what("a queue or a topic", lambda given: given in ("queue", "topic"))
    yield ask_message("reply_kind", [], either, ["SLJ-HDR-009"], "of a reply")
    yield ask_message("reply_kind", [], gives(reply.kind), [id_, *also], f"of a reply {reply.kind}")
    of = f"of a reply {reply.kind}"
    yield ask_message("reply_topic", [], gives(reply.name), ["SLJ-HDR-005", *also], of)


def _options(sent: MessageToSend, raw: Raw) -> Iterator[Look]:
    by = f"by {sent.options_by}"
    id_ = "SLJ-MODE-002" if sent.mode == PERSISTENT else "SLJ-MODE-003"
    yield ask_message("get_jms_delivery_mode", [], gives(sent.mode), [id_], by)
    id_ = "SLJ-PRIO-002" if sent.priority == DEFAULT_PRIORITY else "SLJ-PRIO-003"
    yield ask_message("get_jms_priority", [], gives(sent.priority), [id_, *_ONLY[id_]], by)
    written = number_of(raw, "JMSExpiration")
    if sent.lives == 0:
        yield ask_message("get_jms_expiration", [], gives(0), ["SLJ-EXP-004"], by)
    elif written is not None:
        yield ask_message("get_jms_expiration", [], gives(written), ["SLJ-EXP-001"], by)
    written = number_of(raw, "JMSDeliveryTime")
    if sent.delay and written is not None:
        yield ask_message(
            "get_jms_delivery_time", [], gives(written), ["SLJ-DLY-007"], "of a delay"
        )


_ONLY: Final[Mapping[str, Sequence[str]]] = {"SLJ-PRIO-002": (), "SLJ-PRIO-003": ("SLJ-PRIO-040",)}
"""Who else says what the receiver sees of a priority: these topics have no partitions."""


def number_of(raw: Raw, name: str) -> int | None:
    """A raw property that is a number; None where there is none."""
    text = raw.properties.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() else None


def first_delivery() -> Iterator[Look]:
    """A message that comes first."""
    yield from looks_at_delivery_count(1, ["SLJ-REDL-001", "SLJ-REDL-003"], ["SLJ-REDL-003"])


def looks_at_delivery_count(
    count: int, counted: Sequence[str], flagged: Sequence[str]
) -> Iterator[Look]:
    """The count of deliveries, and whether there was one before."""
    of = "of a message that came first" if count == 1 else "of a message that comes again"
    permitted: Permitted = gives(count)
    yield ask_message("get_int_property", ["JMSXDeliveryCount"], permitted, counted, of)
    yield ask_message("get_jms_redelivered", [], gives(count > 1), flagged, of)


def comes_again(count: int) -> Iterator[Look]:
    """A message that was given back."""
    yield from looks_at_delivery_count(count, ["SLJ-REDL-001"], ["SLJ-REDL-002"])
