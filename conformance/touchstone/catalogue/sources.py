"""Where requirements come from: the documents that a catalogue cites, and their sections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib.resources.abc import Traversable
from typing import Any

from touchstone.catalogue.toml_texts import parsed
from touchstone.errors import HarnessError


@dataclass(frozen=True)
class SourceDocument:
    """A document that requirements cite. What is not known of it is empty."""

    id: str
    title: str
    version: str = ""
    date: str = ""
    """The day or the year of this text."""
    vendor: str = ""
    address: str = ""
    licence: str = ""


@dataclass(frozen=True)
class Source:
    """The section of a document that states a requirement."""

    document: SourceDocument
    section: str

    def __str__(self) -> str:
        return f"{self.document.title}, {self.section}"

    def as_dict(self) -> dict[str, str]:
        """Plain data for reports; `address` is there if it is known."""
        data = {"document": self.document.id, "title": self.document.title}
        if self.document.address:
            data["address"] = self.document.address
        return {**data, "section": self.section}


_KEYS = frozenset(field.name for field in fields(SourceDocument)) - {"id"}


def read_source_documents(file: Traversable) -> Mapping[str, SourceDocument]:
    """The documents of one TOML file by their ids; `HarnessError` names the file and the fault."""
    try:
        tables = parsed(file.read_text(encoding="utf-8"))
        return {id_: _document(id_, table) for id_, table in tables.items()}
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise HarnessError(
            f"The documents of {file.name} cannot be read: {error!r}",
            hint="It has a table for each document that a requirement of the catalogue cites."
            " Its keys are title and, where known, version, date, vendor, address and licence.",
        ) from error


def _document(id_: str, table: Mapping[str, Any]) -> SourceDocument:
    if not isinstance(table, dict):
        raise TypeError(f"{id_} is no table")
    if unknown := table.keys() - _KEYS:
        raise ValueError(f"{id_} has the unknown key {min(unknown)!r}")
    for key, value in table.items():
        if not isinstance(value, str) or not value:
            raise TypeError(f"{key} of {id_} is {value!r:.100}, and no text")
    if "title" not in table:
        raise ValueError(f"{id_} has no title")
    return SourceDocument(id_, **table)
