"""The properties of a message (JMS 2.0, section 3.5)."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any, Final

from jms_model.answers import (
    JAVA_TYPES,
    Expectation,
    Field,
    Keeps,
    Permitted,
    anything,
    are_same,
    gives,
    gives_what,
    raises,
    succeeds,
)
from jms_model.conversions import reading, type_of
from jmsapi.errors import (
    IllegalArgumentException,
    MessageFormatException,
    MessageNotWriteableException,
    NumberFormatException,
)
from jmsapi.values import Int

TYPES: Final = {
    "boolean": "boolean",
    "byte": "byte",
    "short": "short",
    "int": "int",
    "long": "long",
    "float": "float",
    "double": "double",
    "string": "String",
}
"""What the methods are called by, and the type."""
_ROWS: Final = {
    "boolean": ("JMS-PROP-014", "JMS-PROP-015"),
    "byte": ("JMS-PROP-017", "JMS-PROP-018"),
    "short": ("JMS-PROP-019", "JMS-PROP-020"),
    "int": ("JMS-PROP-021", "JMS-PROP-022"),
    "long": ("JMS-PROP-023", "JMS-PROP-024"),
    "float": ("JMS-PROP-025", "JMS-PROP-026"),
    "double": ("JMS-PROP-027", "JMS-PROP-028"),
    "String": ("JMS-PROP-029", "JMS-PROP-030"),
}
"""Of each type, the statements on what it may be read as, and on what it may not."""
_ARRIVES: Final = {
    name: f"JMS-PROP-{number:03}" for number, name in enumerate(TYPES.values(), start=3)
}
_NAMELESS: Final = {
    "boolean": "API-MSG-032",
    "byte": "API-MSG-033",
    "short": "API-MSG-034",
    "int": "JMS-PROP-001",
    "long": "API-MSG-035",
    "float": "API-MSG-036",
    "double": "API-MSG-037",
    "string": "API-MSG-038",
    "object": "API-MSG-039",
}
DELIVERY_COUNT: Final = "JMSXDeliveryCount"
"""How often a message was delivered, as the provider says."""
GROUP: Final = "JMSXGroupID"
GROUP_SEQUENCE: Final = "JMSXGroupSeq"
_OF_GROUPS: Final = {
    GROUP: ("JMS-PROP-043", "JMS-PROP-044"),
    GROUP_SEQUENCE: ("JMS-PROP-043", "JMS-PROP-045"),
}
"""The properties of a group, which the sending client sets."""
_JMSX: Final = "JMSX"
_JMS_VENDOR: Final = "JMS_"
"""How the names begin that JMS has, and those of a vendor."""
HEADER_FIELDS: Final = frozenset(
    f"JMS{name}"
    for name in (
        *("CorrelationID", "DeliveryMode", "DeliveryTime", "Destination", "Expiration"),
        *("MessageID", "Priority", "Redelivered", "ReplyTo", "Timestamp", "Type"),
    )
)
"""The header fields by the names that JMS has for them."""
PROVIDER_NAMES: Final = "provider_names"
"""The look at the names that the provider adds: it gives what is wrong with them, as texts."""
UNREAD: Final = "a name that cannot be read"
UNLISTED: Final = "a name that is read and not listed"
UNFIT: Final = "a name that is no identifier"
OF_A_HEADER_FIELD: Final = "the name of a header field"
OF_NOBODY: Final = "a name that neither JMS nor a vendor has"
"""What may be wrong with a name."""
WRONG_NAMES: Final = {
    UNREAD: "JMS-PROP-036",
    UNLISTED: "JMS-PROP-036",
    OF_A_HEADER_FIELD: "JMS-PROP-037",
    UNFIT: "JMS-PROP-001",
    OF_NOBODY: "JMS-PROP-054",
}
"""The statement that each breaks; what is told of several is the first."""
_RESERVED: Final = frozenset(
    ("null", "true", "false", "not", "and", "or", "between", "like", "in", "is", "escape")
)
_JAVA_IDENTIFIER: Final = re.compile(r"[^\W\d]\w*")


def is_identifier(name: str) -> bool:
    """Whether a selector may name it: an identifier of Java that is no reserved word."""
    plain = name.replace("$", "_")
    return bool(_JAVA_IDENTIFIER.fullmatch(plain)) and name.lower() not in _RESERVED


def wrong_by_itself(name: str) -> str | None:
    """What is wrong with a name that begins with JMS, wherever it is listed."""
    if name in HEADER_FIELDS:
        return OF_A_HEADER_FIELD
    if not is_identifier(name):
        return UNFIT
    return None if name.startswith((_JMSX, _JMS_VENDOR)) else OF_NOBODY


def of_the_application(names: Any) -> list[str]:
    """The names that an application gave: those of JMS and of the vendor begin with JMS."""
    return [name for name in names if not name.startswith("JMS")]


class Properties:
    """The properties of one message."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.writable = True
        self.cleared = False
        """Whether they were cleared on a received message."""
        self.arrived: frozenset[str] = frozenset()
        """Those that came with the message."""
        self.again: frozenset[str] = frozenset()
        """Those that were set more than once."""
        self.open: frozenset[str] = frozenset()
        """Those of which JMS does not say what they are."""
        self.of_producer: dict[str, Sequence[str]] = {}
        """What the producer has set or cleared, and the statements that say so."""
        self.is_counted = False
        """Whether it was just received, for the first time: JMSXDeliveryCount is 1."""

    def received(self) -> Properties:
        """What a receiver has of them."""
        other = Properties()
        other.values = dict(self.values)
        other.writable = False
        other.arrived = frozenset(self.values)
        other.open = self.open
        other.is_counted = True
        return other

    def put_by_producer(self, name: str, value: Any, statements: Sequence[str]) -> None:
        """A producer has set a property of what arrives."""
        self.values[name] = value
        self.arrived |= {name}
        self.open -= {name}
        self.of_producer[name] = statements

    def leave_open(self, names: Collection[str]) -> None:
        """What these are JMS does not say."""
        for name in names:
            self.values.pop(name, None)
        self.open |= {*names}

    def expect(self, method: str, args: Sequence[Any]) -> Expectation | None:
        """What is permitted of a call; None: it is none of properties."""
        if method.endswith("_property"):
            verb, name, _ = method.split("_")
            return self._set(name, *args) if verb == "set" else self._get(name, *args)
        match method:
            case "property_exists":
                return self._exists(*args)
            case "property_names":
                return self._names()
            case "provider_names":
                return _names_of_provider()
            case "clear_properties":
                return self._clear()
        return None

    def _set(self, kind: str, name: str | None, value: Any) -> Expectation:
        refused = raises(MessageNotWriteableException)
        if not name:
            permitted = [raises(IllegalArgumentException)]
            if not self.writable:
                permitted.append(refused)
            if value is not None and type_of_property(value) is None:
                permitted.append(raises(MessageFormatException))
            what = "null" if name is None else "an empty"
            return Expectation(
                permitted, [_NAMELESS[kind]], f"with {what} name", keeps=self._kept()
            )
        if not self.writable:
            if value is not None and type_of_property(value) is None:
                return Expectation([refused, raises(MessageFormatException)], [])
            return Expectation(
                [refused], ["JMS-PROP-012"], "of a received message", keeps=self._kept()
            )
        if not is_identifier(name):
            return Expectation(
                [raises()],
                ["JMS-PROP-001"],
                "with a name that is no identifier",
                keeps=self._kept(),
            )
        if kind == "object" and (value is not None and type_of_property(value) is None):
            return Expectation(
                [raises(MessageFormatException)], ["JMS-PROP-033", "SLJ-PROP-018"],
                f"with a {type(value).__name__}", keeps=self._kept(),
            )  # fmt: skip
        ids = ["JMS-PROP-002", _ROWS[type_of(value)][0]] if value is not None else ["JMS-BODY-037"]
        if kind == "object" and value is not None:
            ids.append("JMS-PROP-033")
        if self.cleared:  # what it cannot be set to it could not before
            ids = ["JMS-PROP-039"]
        again = name in self.values
        if again and value is not None:
            ids.append("API-MSG-041")

        def put() -> None:
            if again:
                self.again |= {name}
            self.values[name] = value
            self.arrived -= {name}
            self.open -= {name}
            self.of_producer.pop(name, None)

        situation = "again" if again else "of a null" if value is None else ""
        return Expectation(
            [succeeds(put)], ids, situation, changes=[("property", name), ("property", None)]
        )

    def _kept(self) -> Sequence[Keeps]:
        return [Keeps("property", () if self.writable else ("JMS-PROP-012",))]

    def _get(self, kind: str, name: str) -> Expectation:
        field = [("property", name, kind)]
        if name == DELIVERY_COUNT:
            return self._count(kind)
        if name in self.open:
            return Expectation([anything()], [], "that JMS leaves open", reads=field)
        expectation = self._read(kind, name, field)
        if others := self._spelt_otherwise(name):
            ids = expectation.ids
            expectation.ids = [*ids, "JMS-PROP-041"]
            expectation.instead = ids
            expectation.accuse = lambda value: [
                *ids,
                *(["JMS-PROP-041"] if any(are_same(value, each) for each in others) else []),
            ]
        if name in self.of_producer:
            is_own = kind == "object" or name not in self.values
            is_own |= TYPES.get(kind) == type_of(self.values.get(name))
            expectation.ids = self.of_producer[name] if is_own else []
        return expectation

    def _count(self, kind: str) -> Expectation:
        """Of the property that the provider sets on delivery."""
        reads = [("property", DELIVERY_COUNT, kind)]
        if not self.is_counted or kind not in ("int", "object"):
            return Expectation([anything()], [], "that the provider sets", reads=reads)
        ids = ["JMS-REDL-002", "JMS-REDL-003"]
        return Expectation(
            [gives(Int(1))], ids, "JMSXDeliveryCount at the first delivery", reads=reads,
            accuse=lambda value: ids[type(value) in (int, Int):],
        )  # fmt: skip

    def _read(self, kind: str, name: str, field: Sequence[Field]) -> Expectation:
        there = name in self.values
        value = self.values.get(name)
        situation = (
            "where there is none" if not there else f"of a property of type {type_of(value)}"
        )
        if kind == "object":
            if not there:
                return Expectation([gives(None)], ["JMS-PROP-035"], situation, reads=field)
            ids = ["JMS-PROP-034", *self._of_value(name, value)]
            return Expectation([gives(value)], ids, situation, reads=field)
        wanted = TYPES[kind]
        if value is None:
            ids = ["JMS-PROP-031"] if there else ["JMS-PROP-032"]
            if there and kind == "string":
                ids.append("JMS-BODY-037")
            return Expectation([reading(None, wanted)], ids, situation, reads=field)
        permitted = reading(value, wanted)
        if wanted == type_of(value) and name in self.arrived:
            return Expectation([permitted], self._of_value(name, value), situation, reads=field)
        ids = ["JMS-PROP-013", *self._of_conversion(permitted, type_of(value), wanted)]
        if wanted == type_of(value):
            ids += self._of_value(name, value)
        return Expectation([permitted], ids, situation, reads=field)

    def _of_conversion(self, permitted: Permitted, written: str, wanted: str) -> Sequence[str]:
        may, may_not = _ROWS[written]
        if written == "String":
            return [may_not if NumberFormatException in permitted.errors else may]
        if written == "boolean" and wanted == "String":
            return ["JMS-PROP-016"]
        return [may_not if MessageFormatException in permitted.errors else may]

    def _of_value(self, name: str, value: Any) -> Sequence[str]:
        ids = list(_OF_GROUPS.get(name, ()))
        if name in self.arrived and value is not None:
            return [_ARRIVES[type_of(value)], "JMS-PROP-011", *ids]
        ids += ["JMS-PROP-039"] if self.cleared else []
        return [*ids, "API-MSG-041"] if name in self.again else ids

    def _spelt_otherwise(self, name: str) -> Sequence[object]:
        """The values of those that differ by their case alone from a JMSX property, or are one."""
        folded = name.upper()
        others = (each for each in self.values if each.upper() == folded and each != name)
        return [self.values[each] for each in others] if folded.startswith(_JMSX) else []

    def _exists(self, name: str) -> Expectation:
        ids = ["API-MSG-040"]
        reads = [("property", name, "exists")]
        if name in self.open:
            return Expectation([anything()], [], "that JMS leaves open", reads=reads)
        if name in self.of_producer:
            ids = list(self.of_producer[name])
        if name not in self.values:
            ids += ["JMS-PROP-038"] if self.cleared else []
            return Expectation([gives(False)], ids, "where there is none", reads=reads)
        if self.values[name] is None:  # whether null is a value JMS does not say
            return Expectation([gives(True), gives(False)], [], "of a null", reads=reads)
        return Expectation([gives(True)], ids, "of one that is set", reads=reads)

    def _names(self) -> Expectation:
        every = set(self.values) | self.open
        needed = {name for name, value in self.values.items() if value is not None}

        def are_all(names: Any) -> bool:
            if names is None:
                return False
            listed = of_the_application(names)
            return len(listed) == len(set(listed)) and needed <= set(listed) <= every

        ids = ["JMS-PROP-036"]
        if self.cleared and not every:
            ids.append("JMS-PROP-038")
        if self.of_producer:
            ids = []
        of_others = [*ids, "JMS-PROP-054"] if ids else []

        def accuse(names: object) -> Sequence[str]:
            return of_others if {*of_the_application(names or [])} - every else ids

        return Expectation(
            [gives_what(f"{sorted(needed)}", are_all)], of_others,
            "of none" if not every else "of some",
            reads=[("property", None)], accuse=accuse, instead=ids,
        )  # fmt: skip

    def _clear(self) -> Expectation:
        def clear() -> None:
            self.cleared = not self.writable or self.cleared
            self.values.clear()
            self.writable = True
            self.arrived = self.again = self.open = frozenset()
            self.of_producer.clear()
            self.is_counted = False

        kept = ("API-MSG-019", "JMS-PROP-040")
        return Expectation(
            [succeeds(clear)], ["JMS-PROP-038"], changes=["property"],
            keeps=[Keeps("header", kept[:1]), Keeps("body", kept)],
        )  # fmt: skip


def _names_of_provider() -> Expectation:
    """Nothing is wrong with the names that the provider adds to those of the application."""

    def first(value: Any) -> str:
        return str(value[0]) if isinstance(value, list) and value else ""

    return Expectation(
        [gives([])], [*dict.fromkeys(WRONG_NAMES.values())], instead=["JMS-PROP-036"],
        accuse=lambda value: [
            id_ for words, id_ in WRONG_NAMES.items() if isinstance(value, list) and words in value
        ],
        name=lambda value: f"gave {first(value)}",
    )  # fmt: skip


def type_of_property(value: Any) -> str | None:
    """Java's name of the type of a property; None: no property has it."""
    name = JAVA_TYPES.get(type(value))
    return name if name in _ROWS else None
