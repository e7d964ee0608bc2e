"""How pages are made of templates: everything is escaped, and what is not given is an error."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from jinja2 import Environment, PackageLoader, StrictUndefined

from touchstone_reports.legible import legible, one_line, shorten


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
    return made


def sources(templates: Environment, names: Iterable[str]) -> str:
    """Files beside the templates, such as style sheets, one behind the other."""
    loader = templates.loader
    assert loader is not None
    return "".join(loader.get_source(templates, name)[0] for name in names)


def moment(at: datetime) -> str:
    """A moment for people."""
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
