"""Catalogues found through the entry-point group `touchstone.catalogues`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from functools import cached_property
from importlib import resources
from importlib.metadata import EntryPoint
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

from jms_brokers.errors import BrokenDistribution
from jms_brokers.machine.installed import registered_entry_points
from touchstone.catalogue.kept import Passing, kept_result
from touchstone.catalogue.requirements import Requirement, read_requirements
from touchstone.catalogue.sources import read_source_documents
from touchstone.errors import HarnessError

GROUP = "touchstone.catalogues"


@dataclass(frozen=True)
class Document:
    """What one vendor, or a specification, promises: the requirements with one prefix.

    Their sources are the texts that say so. `universal` ones apply to every provider.
    """

    prefix: str
    title: str
    requirements: str
    """The TOML file, as a path inside the catalogue's package."""
    universal: bool = False


@dataclass(frozen=True)
class Catalogue:
    """A package of scenarios, as data; a distribution registers one in `touchstone.catalogues`."""

    name: str
    package: str
    documents: tuple[Document, ...]
    areas: tuple[str, ...]
    """Every area, in the order in which reports show them."""
    deviations: str = "deviations"
    """The folder inside the package with one TOML file per client."""
    source_documents: str = "documents.toml"
    """The file inside the package with the documents that its requirements cite."""
    durations: str = ""
    """A file inside the package: the seconds of scenarios that take long, as JSON; empty: none."""

    @property
    def files(self) -> Traversable:
        """The catalogue's package as a folder; it is only imported where it is no plain one."""
        spec = find_spec(self.package)
        folders = [Path(each) for each in (spec and spec.submodule_search_locations) or ()]
        if len(folders) == 1 and folders[0].is_dir():
            return folders[0]
        return resources.files(self.package)

    def file(self, path: str) -> Traversable:
        """A file of the package, by its path there."""
        return self.files.joinpath(*path.split("/"))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """What `asdict` gave."""
        documents = tuple(Document(**document) for document in data["documents"])
        return cls(**{**data, "documents": documents, "areas": tuple(data["areas"])})


@dataclass(frozen=True)
class Library:
    """All registered catalogues together, but for those that cannot be loaded."""

    catalogues: tuple[Catalogue, ...]
    broken: tuple[str, ...] = ()
    """Why the others cannot, a line each."""

    @cached_property
    def requirements(self) -> Mapping[str, Requirement]:
        """Every requirement by its id.

        Raises HarnessError where an id is used twice or misplaced, or a source is unknown.
        """
        by_id: dict[str, Requirement] = {}
        for catalogue in self.catalogues:
            cited = read_source_documents(catalogue.file(catalogue.source_documents))
            for document in catalogue.documents:
                path = catalogue.file(document.requirements)
                for requirement in read_requirements(path, cited):
                    _check(requirement, document, catalogue, by_id)
                    by_id[requirement.id] = requirement
        return by_id

    @cached_property
    def documents(self) -> Mapping[str, Document]:
        """Every document by its prefix."""
        return {doc.prefix: doc for catalogue in self.catalogues for doc in catalogue.documents}

    @cached_property
    def areas(self) -> tuple[str, ...]:
        """Every area once, in the catalogues' order."""
        return tuple(dict.fromkeys(area for c in self.catalogues for area in c.areas))

    def like(self, id_: str) -> str:
        """What to ask for instead of a requirement that there is not: a hint."""
        if id_.partition("-")[0] not in self.documents:
            return self.prefixes_text
        close = get_close_matches(id_, self.requirements, n=3)
        return f"Did you mean {' or '.join(close)}?" if close else "`touchstone list` has the ids."

    @property
    def prefixes_text(self) -> str:
        """Which prefixes of requirements there are, and why there may be fewer: a hint."""
        titles = (f"{prefix} ({each.title})" for prefix, each in sorted(self.documents.items()))
        return " ".join((f"There are the prefixes {', '.join(titles)}.", *self.broken))

    def applies(self, prefix: str, documents: Iterable[str]) -> bool:
        """Whether the document `prefix` speaks of a provider with these `documents`."""
        document = self.documents.get(prefix)
        return prefix in documents or (document is not None and document.universal)


def load_library(tell: Callable[[str], None] | None = None) -> Library:
    """Every registered catalogue. One that cannot be loaded is left out, and told.

    `HarnessError` where none can.
    """
    catalogues, broken = [], []
    for point in registered_entry_points(GROUP):
        try:
            catalogues.append(_loaded(point))
        except HarnessError as error:
            broken.append(error)
    if broken and not catalogues:
        raise broken[0]
    for each in broken:
        (tell or _warn)(f"{each.what}. {each.hint}")
    return Library(tuple(catalogues), tuple(f"{each.what}." for each in broken))


def _warn(text: str) -> None:
    warnings.warn(BrokenDistribution(text), stacklevel=3)


def _loaded(point: EntryPoint) -> Catalogue:
    where = f"The catalogue {point.name!r} ({point.value})"
    try:
        catalogue = point.load()
        if isinstance(catalogue, Catalogue):
            catalogue.files  # noqa: B018 - its package may not be there
            return catalogue
    except Exception as error:
        raise HarnessError(
            f"{where} cannot be loaded: {error!r}",
            hint=f"Mend or remove the distribution that registers it in {GROUP}.",
        ) from error
    raise HarnessError(
        f"{where} is a {type(catalogue).__name__}", hint="It has to be a touchstone.api.Catalogue."
    )


def known_library() -> Library:
    """The same, but no catalogue is imported unless a source has changed since it was."""
    loaded: list[Library] = []

    def find_out() -> list[dict[str, Any]]:
        loaded.append(load_library())
        if loaded[0].broken:
            raise Passing([])
        return [asdict(catalogue) for catalogue in loaded[0].catalogues]

    kept = kept_result("catalogues", find_out)
    return loaded[0] if loaded else Library(tuple(map(Catalogue.from_dict, kept)))


def _check(
    requirement: Requirement,
    document: Document,
    catalogue: Catalogue,
    others: Mapping[str, Requirement],
) -> None:
    where = f"{catalogue.name}/{document.requirements}"
    if requirement.id in others:
        raise HarnessError(
            f"{where}: the requirement id {requirement.id} is used twice",
            hint="Ids are unique over all files and never reused.",
        )
    if requirement.document != document.prefix:
        raise HarnessError(
            f"{where}: {requirement.id} does not begin with {document.prefix}-",
            hint="Each prefix has a file of its own; those of"
            f" {catalogue.name} are {', '.join(each.prefix for each in catalogue.documents)}.",
        )
    if requirement.area not in catalogue.areas:
        raise HarnessError(
            f"{where}: {requirement.id} is of the unknown area {requirement.area!r}",
            hint=f"Known areas of {catalogue.name}: {', '.join(catalogue.areas)}.",
        )
