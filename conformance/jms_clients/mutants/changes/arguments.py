"""Why some changes cannot be noticed: each argued in a line, in a file that names what changes."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jms_clients.errors import ProviderError
from jms_clients.mutants.changes.changes import Change
from jms_clients.mutants.changes.reference import ReferenceSources

FILE = Path(__file__).with_name("argued.toml")


@dataclass(frozen=True)
class Argument:
    """Nobody can see `change` in `function` through JMS or at the broker, and `why`."""

    function: str
    """`module:qualified name`."""
    change: tuple[str, ...]
    """The lines that it takes away and adds, as a survivor is shown."""
    why: str


def read_arguments(file: Path = FILE) -> tuple[Argument, ...]:
    """Those in `file`; `ProviderError` names the entry at fault."""
    try:
        entries = tomllib.loads(file.read_text(encoding="utf-8")).get("argued", [])
    except (OSError, ValueError) as error:
        raise ProviderError(
            f"The arguments in {file} cannot be read: {error}",
            hint="It holds [[argued]] tables with function, change and why.",
        ) from error
    return tuple(_argument(entry, file) for entry in entries)


def argued(reference: ReferenceSources, arguments: Iterable[Argument]) -> Mapping[Change, str]:
    """Why each change that is argued cannot be seen; `ProviderError` for one without argument."""
    why: dict[Change, str] = {}
    for argument in arguments:
        module, _, function = argument.function.partition(":")
        diffs = reference.diffs(module, [function]) if module in reference.sources else {}
        if not diffs:
            raise ProviderError(
                f"{argument.function} is argued, but no such function can be changed",
                hint="It is module:function. Where the function has gone, remove the argument.",
            )
        matching = [change for change, lines in diffs.items() if lines == argument.change]
        if not matching:
            raise ProviderError(
                f"{argument.function} has no change {' '.join(argument.change)!r} any more",
                hint="The function was changed: look again whether the argument holds.",
            )
        why |= dict.fromkeys(matching, argument.why)
    return why


def _argument(entry: Any, file: Path) -> Argument:
    match entry:
        case {"function": str(function), "change": [*change], "why": str(why)} if (
            why.strip() and len(entry) == 3 and all(isinstance(line, str) for line in change)
        ):
            return Argument(function, tuple(change), why)
    raise ProviderError(
        f"{file.name}: {entry!r:.200} is no argument",
        hint="It has function, change (a list of lines) and why, and nothing else.",
    )
