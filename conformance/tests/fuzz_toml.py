"""TOML that people write: requirements, deviations, what to plant in a simulated history."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import Any, cast

from fuzz.mutations import words
from fuzz.targets import Target
from jms_histories.errors import HistoryError
from jms_histories.history.simulation.faults import fault_counts
from touchstone.catalogue.deviation_files import read_deviations
from touchstone.catalogue.registry import load_library
from touchstone.catalogue.requirements import read_requirements
from touchstone.catalogue.sources import SourceDocument, read_source_documents
from touchstone.errors import HarnessError

_LIBRARY = load_library()
assert _LIBRARY.requirements  # read now, and not by the first input
_LONGEST = 4_096
_DOCUMENTS = {"jakarta-messaging": SourceDocument("jakarta-messaging", "Jakarta Messaging")}


@dataclass(frozen=True)
class _File:
    """A file of a package whose content is here."""

    content: bytes
    name: str = "file.toml"

    def read_text(self, encoding: str) -> str:
        return self.content.decode(encoding)


def _requirements(data: bytes) -> None:
    for one in read_requirements(cast(Any, _File(data)), _DOCUMENTS):
        assert f"{one.id}{one.area}{one.statement}{one.document}{one.source[0]}"


def _documents(data: bytes) -> None:
    for id_, one in read_source_documents(cast(Any, _File(data))).items():
        assert one.id == id_
        assert one.title


def _deviations(data: bytes) -> None:
    for one in read_deviations(cast(Any, _File(data)), _LIBRARY):
        assert one.expects(one.message.replace("*", "any")) or "\n" in one.message
        assert one.version.holds("1.2.3") in (True, False)


def _faults(data: bytes) -> None:
    try:
        values = tomllib.loads(data.decode())
    except (ValueError, RecursionError):
        return
    fault_counts(values)


_REQUIREMENT = words(
    *("[defaults]", "[[requirement]]", "document", "jakarta-messaging", "id", "area", "source"),
    *("strength", "must", "[", "{", '"'),
)
_DOCUMENT = words("[jakarta-messaging]", "title", "version", "address", "id", "[", "{", '"', "1")
_DEVIATION = words(
    *("[defaults]", "[[deviation]]", "cases", "requirements", "requirement", "message", "*"),
    *("version", ">=9", "date", "[", "{", '"'),
)
_FAULT = words("D05", "D28", "all", "[faulted]", "D99", "1979-05-27", "[[all]]", "true", '"')

TARGETS = tuple(
    Target(name, "conformance", decode, (promised,), mutate, _LONGEST)
    for name, decode, promised, mutate in (
        ("toml-requirements", _requirements, HarnessError, _REQUIREMENT),
        ("toml-documents", _documents, HarnessError, _DOCUMENT),
        ("toml-deviations", _deviations, HarnessError, _DEVIATION),
        ("toml-faults", _faults, HistoryError, _FAULT),
    )
)
