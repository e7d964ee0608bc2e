"""Requirements as their TOML files state them.

`jms_scenarios/requirements/README.md` describes the files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from typing import Any, Final

from touchstone.catalogue.sources import Source, SourceDocument
from touchstone.catalogue.toml_texts import parsed
from touchstone.errors import HarnessError
from touchstone.verdicts import Strength

DEFAULTS: Final[Mapping[str, Any]] = {"strength": "must", "negative": False, "note": ""}
"""What holds where neither a requirement nor the [defaults] of its file say otherwise."""
_OF_EACH: Final = ("id", "statement", "source")
"""What each requirement has to say for itself."""


@dataclass(frozen=True)
class Requirement:
    """One observable statement; `fields` are those of the file, with the defaults."""

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
        """Plain data for reports: the fields, the prefix, the strength and the sources."""
        return {
            **self.fields,
            "document": self.document,
            "strength": self.strength.value,
            "source": [source.as_dict() for source in self.source],
        }


def read_requirements(
    file: Traversable, documents: Mapping[str, SourceDocument]
) -> tuple[Requirement, ...]:
    """The requirements of one TOML file, which cite only these documents.

    Raises HarnessError, which names the file and the requirement at fault.
    """
    try:
        content = parsed(file.read_text(encoding="utf-8"))
        if unknown := content.keys() - {"defaults", "requirement"}:
            raise ValueError(f"unknown table {min(unknown)!r}")
        defaults = _defaults(content.get("defaults", {}))
        return tuple(
            _requirement(file.name, defaults, entry, documents) for entry in content["requirement"]
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise HarnessError(
            f"The requirements file {file.name} cannot be read: {error!r}",
            hint="Install the catalogue again, or mend the file: it holds [[requirement]] tables,"
            " and before them [defaults] for what most of them say.",
        ) from error


def _defaults(table: Mapping[str, Any]) -> Mapping[str, Any]:
    if not isinstance(table, dict):
        raise TypeError(f"[defaults] is {table!r:.100}, and no table")
    for key in _OF_EACH:
        if key in table:
            raise ValueError(f"[defaults] has {key}, which each requirement says for itself")
    return {**DEFAULTS, **table}


def _requirement(
    file: str,
    defaults: Mapping[str, Any],
    entry: Mapping[str, Any],
    documents: Mapping[str, SourceDocument],
) -> Requirement:
    if not isinstance(entry, dict):
        raise TypeError(f"{entry!r:.100} is no table")
    fields = {**defaults, **entry}
    where = f"{file}: the requirement {entry.get('id', '(without id)')}"
    try:
        return Requirement(
            id=_text(fields, "id"),
            area=_text(fields, "area"),
            statement=_text(fields, "statement"),
            source=_sources(where, fields.pop("document", None), fields["source"], documents),
            strength=Strength(fields["strength"]),
            fields=fields,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise HarnessError(
            f"{where} is incomplete: {error!r}",
            hint="Every requirement has id, area, statement and source; strength is must, should"
            " or may.",
        ) from error


def _sources(
    where: str,
    usual: str | None,
    entries: Iterable[Mapping[str, Any]],
    documents: Mapping[str, SourceDocument],
) -> tuple[Source, ...]:
    cited = []
    for entry in entries:
        id_ = _text({"document": usual, **entry}, "document")
        if id_ not in documents:
            raise HarnessError(
                f"{where} cites the unknown document {id_!r}",
                hint=f"The catalogue's table of documents has {', '.join(sorted(documents))}.",
            )
        cited.append(Source(documents[id_], _text(entry, "section")))
    if not cited:
        raise ValueError("source is empty")
    return tuple(cited)


def _text(entry: Mapping[str, Any], key: str) -> str:
    value = entry[key]
    if not isinstance(value, str):
        raise TypeError(f"{key} is {value!r:.100}, and no text")
    if not value:
        raise ValueError(f"{key} is empty")
    return value
