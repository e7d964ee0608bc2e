"""How pages are made of templates: everything is escaped, and what is not given is an error."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from touchstone_reports.legible import legible, one_line, shorten

_ADDRESS: Final = re.compile(r"https?://\S+\Z", re.IGNORECASE)


def environment() -> Environment:
    """The templates of this package, with the filters that all pages share."""
    made = Environment(
        loader=PackageLoader("touchstone_reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "legible": lambda value: legible(str(value)),
        "moment": moment,
        "one_line": one_line,
        "shortened": shorten,
    }
    made.globals["is_address"] = is_address
    return made


def is_address(text: object) -> bool:
    """Whether a page may link it."""
    return bool(_ADDRESS.match(str(text)))


def in_one_file(
    templates: Environment, sheets: Iterable[str], scripts: Iterable[str]
) -> Mapping[str, Any]:
    """What a page needs that has its style and script in itself, and may run no other script."""
    style, script = sources(templates, sheets), sources(templates, scripts)
    return {
        "style": Markup(style),  # noqa: S704  (our own file)
        "script": Markup(script),  # noqa: S704  (our own file)
        "script_hash": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    }


def sources(templates: Environment, names: Iterable[str]) -> str:
    """Files beside the templates, such as style sheets, one behind the other."""
    loader = templates.loader
    assert loader is not None
    return "".join(loader.get_source(templates, name)[0] for name in names)


def moment(at: datetime) -> str:
    """A moment for people."""
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
