"""The body of a MapMessage: named values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, Self

from jms_model.answers import Expectation, Keeps, gives, gives_what, raises, succeeds
from jms_model.bodies import TEN, Body, item_read
from jms_model.conversions import type_of
from jmsapi.errors import IllegalArgumentException, MessageNotWriteableException

_NAMES: Final = (*TEN, "object")
_PLAIN: Final = re.compile("[a-z]+")
"""Names that a property could have as well."""
_GETS: Final = {name: f"API-MAP-{number:03}" for number, name in enumerate(TEN, start=1)}
_NAMELESS: Final = {name: f"API-MAP-{number:03}" for number, name in enumerate(_NAMES, start=11)}


class MapBody(Body):
    """The entries of a map."""

    kind = "map"
    asked = ("API-MSG-005", "API-MSG-006", "API-MSG-013")

    def __init__(self) -> None:
        super().__init__()
        self.entries: dict[str, Any] = {}
        self.by_object: frozenset[str] = frozenset()
        """Those that setObject put there."""
        self.again: frozenset[str] = frozenset()
        """Those that were set more than once."""

    def empty(self) -> None:
        """No entries are left."""
        self.entries.clear()
        self.by_object = self.again = frozenset()

    def copied(self) -> Self:
        """Another with the same entries."""
        other = type(self)()
        other.entries = dict(self.entries)
        other.by_object, other.again = self.by_object, self.again
        return other

    @property
    def whole(self) -> object:
        """The entries; JMS does not say whether a map without any is a body."""
        return dict(self.entries)

    def expect_own(self, method: str, args: Sequence[Any]) -> Expectation | None:
        """Entries and their names."""
        match method:
            case "map_names":
                return self._names()
            case "item_exists":
                return self._exists(*args)
        verb, _, name = method.partition("_")
        if name not in _NAMES or verb not in ("get", "set"):
            return None
        return self._set(name, *args) if verb == "set" else self._get(name, *args)

    def _set(self, method: str, name: str | None, value: Any) -> Expectation:
        if not name:
            refused = raises(IllegalArgumentException)
            permitted = (
                [refused] if self.writable else [refused, raises(MessageNotWriteableException)]
            )
            what = "null" if name is None else "an empty"
            ids = [_NAMELESS[method]]
            return Expectation(permitted, ids, f"with {what} name", keeps=[Keeps("body", ids)])
        if not self.writable:
            return self.refused_write()
        again = name in self.entries

        def put() -> None:
            self.entries[name] = value
            self.by_object = (
                self.by_object | {name} if method == "object" else self.by_object - {name}
            )
            if again:
                self.again |= {name}

        ids = [*self.written(), *(["API-MAP-028"] if not _PLAIN.fullmatch(name) else [])]
        ids.append(
            "JMS-BODY-037"
            if value is None
            else "API-MAP-023"
            if method == "object"
            else "JMS-BODY-007"
        )
        if again:
            ids.append("API-MAP-027")
        return Expectation(
            [succeeds(put)], ids, "of null" if value is None else "",
            changes=[("body", "entry", name), ("body", "whole"), ("body", "names")],
        )  # fmt: skip

    def _get(self, method: str, name: str) -> Expectation:
        reads = [("body", "entry", name, method)]
        if name not in self.entries:
            if method == "object":
                return Expectation(
                    [gives(None)], ["JMS-BODY-033"], "where there is none", reads=reads
                )
            permitted, _ = item_read(None, TEN[method])
            ids = ["JMS-BODY-033", *(["API-MAP-024"] if method == "bytes" else [])]
            return Expectation([permitted], ids, "where there is none", reads=reads)
        value = self.entries[name]
        situation = f"of an entry of type {type_of(value)}"
        ids = [*self.arrival, *(["API-MAP-027"] if name in self.again else [])]
        if method == "object":
            ids.append("API-MAP-022" if value is not None else "JMS-BODY-037")
            if name in self.by_object and value is not None:
                ids += ["API-MAP-023", "JMS-BODY-007"]
            return Expectation([gives(value)], ids, situation, reads=reads)
        permitted, converted = item_read(value, TEN[method])
        if value is not None and type_of(value) == TEN[method]:
            ids.append(_GETS[method])
            if name in self.by_object:
                ids += ["API-MAP-023", "JMS-BODY-007"]
            if not self.arrival:
                ids += converted
            return Expectation([permitted], ids, situation, reads=reads)
        return Expectation([permitted], converted, situation, reads=reads)

    def _names(self) -> Expectation:
        def are_all(names: Any) -> bool:
            return names is not None and sorted(names) == sorted(self.entries)

        ids = ["API-MAP-025", *self.arrival]
        if self.cleared and not self.entries:
            ids.append("JMS-BODY-003")
        return Expectation(
            [gives_what(f"{sorted(self.entries)}", are_all)], ids,
            self.state, reads=[("body", "names")],
        )  # fmt: skip

    def _exists(self, name: str) -> Expectation:
        there = name in self.entries
        ids = ["API-MAP-026", *([] if there else ["JMS-BODY-033"])]
        reads = [("body", "entry", name, "exists")]
        situation = (
            f"of an entry of type {type_of(self.entries[name])}" if there else "where there is none"
        )
        return Expectation([gives(there)], ids, situation, reads=reads)
