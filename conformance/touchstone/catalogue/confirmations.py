"""What plain Java, without a harness, has shown of known deviations: a table beside each file.

`<client>.csv` stands beside `<client>.toml` and has a row for each verdict of which a program was
made (`touchstone reproduce --confirm --record`): which requirement and scenario, on which broker
family, what came of it, with which client, broker and Java, when, the digests of the program and of
the messages that the entry declares, and why there is no program where there is none.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from enum import StrEnum
from importlib.resources.abc import Traversable
from io import StringIO
from typing import Self

from touchstone.catalogue.deviations import Deviation, Occurs
from touchstone.catalogue.registry import Library
from touchstone.catalogue.versions import VersionRange
from touchstone.errors import HarnessError

SUFFIX = ".csv"
_DIGITS = 12
"""Hexadecimal digits of a digest."""


class ConfirmationOutcome(StrEnum):
    """What came of an attempt to show a difference in plain Java."""

    CONFIRMED = "confirmed"
    NOT_CONFIRMED = "not confirmed"
    NOT_EXPRESSIBLE = "not expressible"


@dataclass(frozen=True)
class Confirmation:
    """What plain Java has shown of one verdict."""

    requirement: str
    scenario: str
    family: str
    """Of the broker."""
    outcome: ConfirmationOutcome
    client: str
    """The client's version."""
    broker: str
    """The broker's version."""
    java: str
    date: str
    """The day, as 2026-11-28."""
    messages: str
    """The digest of the messages that the entry declares."""
    control: str = ""
    """A client that keeps the statement, with its version: its program shows nothing; if this is
    not confirmed, it shows the same."""
    program: str = ""
    """The digest of the program; empty where there is none."""
    why: str = ""
    """Why there is none, or, written by hand, why it does not show what the scenario did."""

    @classmethod
    def from_row(cls, row: Mapping[str, str]) -> Self:
        """What a row says; ValueError or KeyError for one that is none."""
        texts = {field.name: row[field.name] for field in fields(cls)}
        return cls(**{**texts, "outcome": ConfirmationOutcome(row["outcome"])})  # type: ignore[arg-type]

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What there is one row of; releases that fail in other words have one each."""
        return self.requirement, self.scenario, self.family, self.messages

    def mended_in(self, provider: str) -> str:
        """The later release of the same client, `provider`, that was the control; empty without."""
        name, _, version = self.control.partition(" ")
        is_later = name == provider and VersionRange(f">{self.client}").holds(version)
        return version if is_later else ""

    def is_of(self, entry: Deviation) -> bool:
        """Whether it shows, or fails to show, what the entry says now."""
        return (
            entry.speaks_of(self.scenario, self.requirement)
            and (not entry.broker or self.family in entry.brokers)
            and entry.version.holds(self.client)
            and entry.java.holds(self.java)
            and self.messages == messages_digest(entry.messages)
        )


def messages_digest(messages: Iterable[str]) -> str:
    """Which messages an entry declared."""
    return digest("\n".join(messages))


def digest(text: str) -> str:
    """Which text it was."""
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def read_confirmations(file: Traversable) -> tuple[Confirmation, ...]:
    """The rows of a table; none where it is not there. Raises HarnessError for one that is none."""
    if not file.is_file():
        return ()
    try:
        rows = csv.DictReader(StringIO(file.read_text(encoding="utf-8")), strict=True)
        return tuple(Confirmation.from_row(row) for row in rows)
    except (OSError, ValueError, KeyError, csv.Error) as error:
        raise HarnessError(
            f"The confirmations {file.name} cannot be read: {error!r}",
            hint="They are written by `touchstone reproduce --confirm --record`.",
        ) from error


def load_confirmations(library: Library) -> Mapping[str, tuple[Confirmation, ...]]:
    """The tables of every catalogue, by the name of the file of known deviations that each is of.

    One that stands beside no such file is a HarnessError.
    """
    tables = {}
    for catalogue in library.catalogues:
        folder = catalogue.files.joinpath(catalogue.deviations)
        files = {file.name: file for file in folder.iterdir()} if folder.is_dir() else {}
        for name, file in sorted(files.items()):
            if name.endswith(SUFFIX):
                entries = f"{name.removesuffix(SUFFIX)}.toml"
                if entries not in files:
                    raise HarnessError(
                        f"The confirmations {name} are of no known deviations",
                        hint=f"They stand beside a file {entries}, or go.",
                    )
                tables[entries] = read_confirmations(file)
    return tables


def confirmations_text(confirmations: Iterable[Confirmation]) -> str:
    """The table of these, in the order of requirements."""
    out = StringIO()
    names = [field.name for field in fields(Confirmation)]
    table = csv.DictWriter(out, names, lineterminator="\n")
    table.writeheader()
    table.writerows(asdict(each) for each in sorted(confirmations, key=lambda each: each.key))
    return out.getvalue()


def merged(
    before: Iterable[Confirmation], new: Iterable[Confirmation], entries: Sequence[Deviation]
) -> list[Confirmation]:
    """Those of before, with the new ones in their places; what no entry speaks of is gone.

    Where nothing has changed the old day stays, and what somebody has written of a program that
    does not show it. What comes by chance and was confirmed once stays so where it does not come.
    """
    kept = {each.key: each for each in before}
    for each in new:
        old = kept.get(each.key)
        if old is not None and _did_not_come(each, old, entries):
            continue
        if old is not None and old.outcome == each.outcome:
            each = replace(each, why=each.why or old.why)
        if old is None or replace(each, date=old.date) != old:
            kept[each.key] = each
    return [each for each in kept.values() if any(each.is_of(entry) for entry in entries)]


def _did_not_come(new: Confirmation, old: Confirmation, entries: Sequence[Deviation]) -> bool:
    confirmed = old.outcome is ConfirmationOutcome.CONFIRMED
    shows_nothing = new.outcome is ConfirmationOutcome.NOT_CONFIRMED and not new.control
    return (
        confirmed
        and shows_nothing
        and any(
            entry.occurs is not Occurs.ALWAYS and new.is_of(entry) and old.is_of(entry)
            for entry in entries
        )
    )
