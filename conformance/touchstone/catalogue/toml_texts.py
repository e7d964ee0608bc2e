"""TOML as the catalogue has it: read once, since that takes longer than many a command."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from touchstone.catalogue.kept import kept_of

_LONG: Final = 10_000
"""Characters from which on a text takes longer to parse than to find where it is kept."""


@lru_cache(maxsize=32)
def parsed(text: str) -> Mapping[str, Any]:
    """What the text says; nobody changes it. ValueError and RecursionError as tomllib has them."""
    if len(text) < _LONG:
        return tomllib.loads(text)
    tables: dict[str, Any] = kept_of(text, lambda: tomllib.loads(text))
    return tables
