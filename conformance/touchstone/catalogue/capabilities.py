"""The closed list of capabilities, and which requirements a client without one is excused from."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from touchstone.catalogue.requirements import Requirement
from touchstone.errors import HarnessError
from touchstone.verdicts import Strength


@dataclass(frozen=True)
class Capability:
    """Something that a client may lack; `excuses` are ids of statements called optional."""

    name: str
    summary: str
    excuses: frozenset[str]


@cache
def capabilities() -> Mapping[str, Capability]:
    """Every capability by its name, from `capabilities.toml`."""
    file = resources.files("touchstone.catalogue") / "capabilities.toml"
    text = file.read_text(encoding="utf-8")
    return {
        name: Capability(name, entry["summary"], frozenset(entry["excuses"]))
        for name, entry in tomllib.loads(text).items()
    }


def capability(name: str) -> Capability:
    """The capability called `name`; `HarnessError` with the closed list otherwise."""
    try:
        return capabilities()[name]
    except KeyError:
        raise HarnessError(
            f"There is no capability {name!r}",
            hint=f"The closed list: {', '.join(sorted(capabilities()))}.",
        ) from None


def check_excuses(requirements: Mapping[str, Requirement]) -> None:
    """`HarnessError` when a capability excuses an unknown requirement, or one that is a must."""
    for row in capabilities().values():
        for id_ in sorted(row.excuses):
            if id_ not in requirements:
                raise HarnessError(
                    f"The capability {row.name} excuses {id_}, which does not exist",
                    hint="Mend capabilities.toml.",
                )
            if requirements[id_].strength is Strength.MUST:
                raise HarnessError(
                    f"The capability {row.name} excuses {id_}, which no document calls optional",
                    hint="Lacking what a document promises is a violation or a deviation.",
                )
