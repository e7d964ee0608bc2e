"""Known deviations: entries of TOML files, matched exactly, strict both ways.

A `[[deviation]]` is one reason with its `cases`: which provider deviates from which requirement in
which scenario and with which message. What all cases share stands on the deviation, what all
deviations of a file share in its `[defaults]`; a case says what is its own:

    [defaults]
    provider = "my-client"
    date = 2026-11-28

    [[deviation]]
    class = "known-defect"
    reason = "Null is taken for an empty text."
    cases = [
        { requirement = "JMS-BODY-012", scenario = "bodies/test_null", message = "assert ''" },
        { requirements = ["JMS-PROP-010", "JMS-PROP-011"], scenario = "...", message = "..." },
    ]

`option = "NAME=VALUE"` is a setting of the client with which the statement was seen to be kept: the
entry does not speak of a run with `--setting NAME=VALUE`.

A deviation without `cases` is its own only case. `requirements` and `scenarios` are lists, with an
entry for each pair. Unknown ids, an empty reason and two entries for the same thing are refused; an
entry that no longer happens is stale, with the releases that its `version` says; without one, with
those that its provider brings.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import EntryPoint
from importlib.resources.abc import Traversable
from itertools import combinations
from pathlib import Path
from typing import Any

from jms_brokers.machine.installed import registered_entry_points
from jms_clients.errors import ProviderError
from jms_clients.presets import setting_of, setting_text
from touchstone.catalogue.deviations import Deviation, Occurs, is_upstream
from touchstone.catalogue.effects import Effect
from touchstone.catalogue.registry import Library
from touchstone.catalogue.toml_texts import parsed
from touchstone.catalogue.versions import VersionRange
from touchstone.catalogue.workload_steps import WorkloadStep, checks_in
from touchstone.errors import HarnessError, UsageError

GROUP = "touchstone.deviations"
REFERENCE_CLASSES = ("document-contradiction", "wire-compatibility", "transport-limit")
"""Classes of the reference's deviations; the fourth is `overridden-by:ID`."""
VENDOR_CLASSES = ("known-defect", "by-design", "document-outdated")
"""Classes that other clients' entries may have as well; the last is of a statement that a newer
document or release has overtaken, which the reason proves."""
FAULTS = ("client", "broker", "java", "document", "settings")
"""Where the cause of a deviation lies, of several the first that the reason tells of; what a run
judges is all of them together."""
ROLES = ("", "producer", "consumer")
_TEXTS = (
    *("provider", "version", "broker", "broker_version", "java", "transport", "requirement"),
    *("scenario", "message", "class", "reason", "link", "occurs", "not_of", "role", "fault"),
    *("workloads", "effect", "option"),
)
_KEYS = {
    **dict.fromkeys(_TEXTS, str),
    **dict.fromkeys(("date", "searched"), datetime.date),
    "also": list,
}
_CLASSES = ", ".join(
    (*VENDOR_CLASSES, *REFERENCE_CLASSES, "or overridden-by: with the id of a requirement")
)
_REQUIRED = ("provider", "requirement", "message", "class", "reason", "date")


def load_deviations(
    library: Library, files: Iterable[Path] = (), tell: Callable[[str], None] | None = None
) -> tuple[Deviation, ...]:
    """The entries of every catalogue, of the group `touchstone.deviations` and of `files`.

    An entry point gives a folder or a file (`Traversable`). Raises `HarnessError` for an entry
    that is wrong by itself, for two entries about the same thing, and for an entry point that
    cannot be loaded, unless that is left out and told.
    """
    sources: list[Traversable] = []
    for catalogue in library.catalogues:
        sources += _toml_files(catalogue.files.joinpath(catalogue.deviations))
    for point in registered_entry_points(GROUP):
        try:
            sources += _toml_files(_place(point))
        except HarnessError as error:
            if tell is None:
                raise
            tell(f"{error.what}. {error.hint}")
    for path in files:
        if not path.is_file():
            raise UsageError(
                f"The deviations file {path} does not exist", hint="Give the path of a TOML file."
            )
        sources.append(path)
    entries = tuple(entry for source in sources for entry in read_deviations(source, library))
    _refuse_duplicates(entries)
    return entries


def read_deviations(file: Traversable, library: Library) -> tuple[Deviation, ...]:
    """The entries of one file, each checked by itself."""
    try:
        data = parsed(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise HarnessError(
            f"The deviations file {file.name} cannot be read: {error}", hint="It has to be TOML."
        ) from error
    if unknown := sorted(data.keys() - {"defaults", "deviation"}):
        raise HarnessError(
            f"{file.name}: unknown table {unknown[0]!r}",
            hint="There are [defaults] and [[deviation]] tables.",
        )
    defaults = data.get("defaults", {})
    if not isinstance(defaults, dict):
        raise HarnessError(f"{file.name}: defaults is no table", hint="It is written [defaults].")
    return tuple(
        _deviation(file.name, number, full, library)
        for number, deviation in enumerate(_tables(file.name, data, "deviation"), start=1)
        for entry in _entries(f"{file.name}: deviation {number}", deviation)
        if not _is_of_a_broken_catalogue(full := {**defaults, **entry}, library)
    )


def _is_of_a_broken_catalogue(entry: Mapping[str, Any], library: Library) -> bool:
    """Whether the entry may be about a requirement that is not there since a catalogue is not."""
    prefix = str(entry.get("requirement", "")).partition("-")[0]
    return bool(library.broken and prefix) and prefix not in library.documents


def _tables(where: str, holder: Mapping[str, Any], key: str) -> Sequence[Mapping[str, Any]]:
    """The tables of an array, of which there may be none."""
    tables = holder.get(key, [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise HarnessError(
            f"{where}: {key} is no array of tables",
            hint="Entries are [[deviation]] tables, their cases = [{ requirement = ... }, ...].",
        )
    return tables


def _entries(where: str, deviation: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """What each case says, together with what the deviation says for all of them."""
    shared = {key: value for key, value in deviation.items() if key != "cases"}
    if "cases" in deviation and not deviation["cases"]:
        raise HarnessError(f"{where}: there are no cases", hint="Name one, or leave the key out.")
    for case in _tables(where, deviation, "cases") or [{}]:
        for entry in _each({**shared, **case}, "requirement"):
            yield from _each(entry, "scenario")


def _each(entry: Mapping[str, Any], key: str) -> Sequence[Mapping[str, Any]]:
    """An entry about several `scenarios` is one about each of them, so `requirements`."""
    values = entry.get(f"{key}s")
    if not (values and isinstance(values, list)) or key in entry:
        return [entry]
    shared = {name: value for name, value in entry.items() if name != f"{key}s"}
    return [{**shared, key: value} for value in values]


def _place(point: EntryPoint) -> Traversable:
    hint = f"Mend or remove the distribution that registers them in {GROUP}."
    try:
        place = point.load()
    except Exception as error:
        raise HarnessError(
            f"The deviations {point.name!r} ({point.value}) cannot be loaded: {error!r}", hint=hint
        ) from error
    if not isinstance(place, Traversable):
        raise HarnessError(
            f"The deviations {point.name!r} ({point.value}) are a {type(place).__name__}", hint=hint
        )
    return place


def _toml_files(place: Traversable) -> list[Traversable]:
    if place.is_file():
        return [place]
    if not place.is_dir():
        return []
    files = (file for file in place.iterdir() if file.name.endswith(".toml"))
    return sorted(files, key=lambda file: file.name)


def _deviation(file: str, number: int, entry: Mapping[str, Any], library: Library) -> Deviation:
    where = f"{file}: deviation {number} ({entry.get('requirement', 'without a requirement')})"

    def refuse(what: str, hint: str) -> HarnessError:
        return HarnessError(f"{where}: {what}", hint=hint)

    for key, value in entry.items():
        if key not in _KEYS:
            raise refuse(f"unknown key {key!r}", f"Known keys: {', '.join(_KEYS)}.")
        if not isinstance(value, _KEYS[key]):
            raise refuse(
                f"{key} = {value!r} is no {_KEYS[key].__name__}", "Dates are written 2026-01-31."
            )
    for key in _REQUIRED:
        if key not in entry or (isinstance(entry[key], str) and not entry[key].strip(" *")):
            needed = f"Needed are {', '.join(_REQUIRED)}. A class is {_CLASSES}."
            raise refuse(f"{key} is missing or empty", needed)
    id_ = entry["requirement"]
    if id_ not in library.requirements:
        raise refuse(f"there is no requirement {id_}", library.like(id_))
    kind = entry["class"]
    overriding = kind.removeprefix("overridden-by:")
    if kind not in REFERENCE_CLASSES + VENDOR_CLASSES and (
        overriding == kind or overriding not in library.requirements
    ):
        raise refuse(f"unknown class {kind!r}", f"One of {_CLASSES}.")
    if entry.get("role", "") not in ROLES:
        raise refuse(f"unknown role {entry['role']!r}", "It is producer or consumer, or left out.")
    if entry.get("workloads", "") not in ("", *WorkloadStep):
        raise refuse(f"unknown step {entry['workloads']!r}", f"One of {', '.join(WorkloadStep)}.")
    if entry.get("workloads") and not checks_in(entry["message"]):
        raise refuse("workloads without a check", "The message begins with one: assert ['D05 …")
    if entry.get("fault", "client") not in FAULTS:
        raise refuse(f"unknown fault {entry['fault']!r}", f"One of {', '.join(FAULTS)}.")
    if entry.get("effect", Effect.LOSS) not in tuple(Effect):
        raise refuse(f"unknown effect {entry['effect']!r}", f"One of {', '.join(Effect)}.")
    link = entry.get("link", "")
    if "searched" in entry and is_upstream(link):
        raise refuse(
            f"both a link upstream and searched = {entry['searched']}",
            "Keep searched where a search upstream found nothing, and link where one did.",
        )
    try:
        option = setting_text(*setting_of(entry["option"])) if "option" in entry else ""
    except ProviderError as error:
        raise refuse(f"option: {error.what}", 'Write option = "NAME=VALUE".') from error
    also = entry.get("also", [])
    if not all(isinstance(pattern, str) and pattern.strip(" *") for pattern in also):
        raise refuse(f"also = {also!r} is no list of messages", 'Write also = ["TEXT"].')
    try:
        return Deviation(
            file=file,
            provider=entry["provider"],
            requirement=id_,
            message=entry["message"],
            kind=kind,
            reason=entry["reason"],
            link=link,
            date=entry["date"],
            scenario=entry.get("scenario", ""),
            version=VersionRange(entry.get("version", "")),
            broker=entry.get("broker", ""),
            broker_version=VersionRange(entry.get("broker_version", "")),
            java=VersionRange(entry.get("java", "")),
            transport=entry.get("transport", ""),
            occurs=Occurs(entry.get("occurs", "always")),
            not_of=entry.get("not_of", ""),
            role=entry.get("role", ""),
            fault=entry.get("fault", _usually_at_fault(kind)),
            workloads=entry.get("workloads", ""),
            also=tuple(also),
            effect=Effect(entry["effect"]) if "effect" in entry else None,
            searched=entry.get("searched"),
            option=option,
        )
    except ValueError as error:
        raise refuse(
            str(error), f"occurs is one of {', '.join(Occurs)}; versions look like >=9,<10."
        ) from error


def _usually_at_fault(kind: str) -> str:
    """The document where another statement of one contradicts this one, or has overtaken it."""
    of_documents = ("document-outdated", "document-contradiction", "overridden-by:")
    return "document" if kind.startswith(of_documents) else "client"


def _refuse_duplicates(entries: Iterable[Deviation]) -> None:
    groups: dict[tuple[str, str], list[Deviation]] = {}
    for entry in entries:
        groups.setdefault((entry.provider, entry.requirement), []).append(entry)
    for group in groups.values():
        for left, right in combinations(group, 2):
            if _same_thing(left, right):
                raise HarnessError(
                    f"Two deviations of {left.provider} for the same thing: {left}; {right}",
                    hint="Keep one, or tell them apart by scenario, versions, broker or transport.",
                )


def _same_thing(left: Deviation, right: Deviation) -> bool:
    return (
        _overlap(left.transport, right.transport)
        and (not (left.broker and right.broker) or not left.brokers.isdisjoint(right.brokers))
        and _overlap(left.role, right.role)
        and left.version.text == right.version.text
        and left.broker_version.text == right.broker_version.text
        and left.java.text == right.java.text
        and (_overlap(left.scenario, right.scenario) or _case_of(left.scenario, right.scenario))
    )


def _overlap(left: str, right: str) -> bool:
    return left == right or "" in (left, right)


def _case_of(left: str, right: str) -> bool:
    return left.partition("[")[0] == right or right.partition("[")[0] == left
