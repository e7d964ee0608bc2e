"""What clients are, for people who have never heard of them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Final


@dataclass(frozen=True)
class Product:
    """What a client is; what is not known is empty."""

    title: str
    """Its own name."""
    about: str = ""
    """What it is, in a sentence."""
    language: str = ""
    licence: str = ""
    """As an SPDX expression."""
    homepage: str = ""
    source: str = ""
    """The address of its repository."""
    tracker: str = ""
    """Where its issues are reported."""


_TABLES: Final = tomllib.loads(files(__package__).joinpath("products.toml").read_text("utf-8"))
PRODUCTS: Final[Mapping[str, Product]] = {name: Product(**table) for name, table in _TABLES.items()}
"""By the name of the provider."""
