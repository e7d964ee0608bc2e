"""Requirements as their TOML files state them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from typing import Any

from touchstone.catalogue.toml_texts import parsed
from touchstone.errors import HarnessError
from touchstone.verdicts import Strength


@dataclass(frozen=True)
class Source:
    """Where a document states a requirement."""

    document: str
    section: str

    def __str__(self) -> str:
        return f"{self.document}, {self.section}"


@dataclass(frozen=True)
class Requirement:
    """One observable statement; `fields` are those of the file as they stand there."""

    id: str
    area: str
    statement: str
    source: tuple[Source, ...]
    strength: Strength
    fields: Mapping[str, Any]

    @property
    def document(self) -> str:
        """The prefix of the id, which names the document."""
        return self.id.partition("-")[0]

    def as_dict(self) -> dict[str, object]:
        """Plain data for reports: the fields of the file, the prefix and the strength."""
        return {**self.fields, "document": self.document, "strength": self.strength.value}


def read_requirements(file: Traversable) -> tuple[Requirement, ...]:
    """The requirements of one TOML file; `HarnessError` names the file and the entry at fault."""
    try:
        entries = parsed(file.read_text(encoding="utf-8"))["requirement"]
        return tuple(_requirement(file.name, entry) for entry in entries)
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise HarnessError(
            f"The requirements file {file.name} cannot be read: {error!r}",
            hint="Install the catalogue again, or mend the file: it holds [[requirement]] tables.",
        ) from error


def _requirement(file: str, entry: Mapping[str, Any]) -> Requirement:
    if not isinstance(entry, dict):
        raise TypeError(f"{entry!r:.100} is no table")
    try:
        return Requirement(
            id=_text(entry, "id"),
            area=_text(entry, "area"),
            statement=_text(entry, "statement"),
            source=tuple(
                Source(_text(one, "document"), _text(one, "section")) for one in entry["source"]
            ),
            strength=Strength(entry.get("strength", "must")),
            fields=dict(entry),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise HarnessError(
            f"{file}: the requirement {entry.get('id', '(without id)')} is incomplete: {error!r}",
            hint="Every requirement has id, area, statement and source; strength is must, should"
            " or may.",
        ) from error


def _text(entry: Mapping[str, Any], key: str) -> str:
    value = entry[key]
    if not isinstance(value, str):
        raise TypeError(f"{key} is {value!r:.100}, and no text")
    if not value:
        raise ValueError(f"{key} is empty")
    return value
