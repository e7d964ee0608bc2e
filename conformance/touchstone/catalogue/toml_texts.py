"""TOML as the catalogue has it: read once in a process, since that takes longer than many a run."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from typing import Any


@lru_cache(maxsize=32)
def parsed(text: str) -> Mapping[str, Any]:
    """What the text says; nobody changes it. ValueError and RecursionError as tomllib has them."""
    return tomllib.loads(text)
