"""Whether all that names the version of a release names the same one. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

_SECTION = re.compile(r"^## \[(?P<name>[^]]+)\](?: - (?P<date>\d{4}-\d{2}-\d{2}))?$", re.MULTILINE)
UNRELEASED = "Unreleased"


def sections(changelog: str) -> dict[str, tuple[str | None, str]]:
    """The sections of a changelog by their names, newest first: the date, if any, and the text."""
    heads = list(_SECTION.finditer(changelog))
    ends = [*(head.start() for head in heads[1:]), len(changelog)]
    return {
        head["name"]: (head["date"], changelog[head.end() : end].strip())
        for head, end in zip(heads, ends, strict=True)
    }


def disagreements(versions: Mapping[str, str], changelog: str, tag: str | None) -> Iterator[str]:
    """What speaks against a release, a sentence each.

    `versions` are those of the distributions, by the files that state them. Without a `tag` it is a
    rehearsal: what is to be released may still stand in the changelog as unreleased.
    """
    version = next(iter(versions.values()))
    for file, stated in versions.items():
        if stated != version:
            yield f"{file} has the version {stated}, not {version}"
    if tag is not None and tag != f"v{version}":
        yield f"The tag is {tag}, and the version {version} asks for v{version}"
    parts = sections(changelog)
    wanted = [version] if tag is not None or version in parts else [UNRELEASED]
    for name in wanted:
        date, text = parts.get(name, (None, ""))
        if not text:
            yield f"CHANGELOG.md has no section [{name}] with a text"
        elif name != UNRELEASED and date is None:
            yield f"The section [{name}] of CHANGELOG.md has no date"
    if tag is not None and parts.get(UNRELEASED, (None, ""))[1]:
        yield "The section [Unreleased] of CHANGELOG.md is not empty: it has what the tag has"
