"""Destinations that stand for several topics: `multi:a,b,c` and `regex:pattern`.

They are for consumers. Both may end in a subscription when they are queues, and each name in them
may be a full one.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from pulsar_jms.implements import implements
from pulsar_jms.mapping.topic_patterns import PatternError, check_pattern

MULTI = "multi:"
REGEX = "regex:"
VIRTUAL = (MULTI, REGEX)

_SETTING = re.compile(r"\?(?=[A-Za-z][\w.%]*=)")
_FULL = re.compile(r"((?:non-)?persistent://)([-=.\w]+/[-=.\w]+)/(.*)", re.DOTALL | re.ASCII)


class TopicSource(NamedTuple):
    """Where a consumer's messages come from: named topics, or all that a pattern covers."""

    topics: tuple[str, ...]
    """Full names; empty where there is a pattern."""
    pattern: str | None = None
    """A regular expression for whole full names."""


def virtual_prefix(name: str) -> str:
    """`multi:` or `regex:` where the name begins so, else nothing."""
    return next((prefix for prefix in VIRTUAL if name.startswith(prefix)), "")


def settings_mark(name: str) -> int:
    """Where the question mark before a name's settings is; -1 where there is none.

    In a pattern a question mark may also be part of the expression: there settings only begin
    where `key=` follows.
    """
    if not name.startswith(REGEX):
        return name.find("?", 1)
    match = _SETTING.search(name)
    return match.start() if match else -1


@implements("SLJ-VIRT-001", "SLJ-VIRT-004")
def members(name: str) -> list[str]:
    """The names listed in `multi:a,b,c`."""
    return name.removeprefix(MULTI).split(",")


@implements("SLJ-VIRT-002", "SLJ-VIRT-003")
def full_pattern(name: str, namespace: str) -> str:
    """The expression for full names in `regex:pattern`: a topic's whole name has to match.

    A short pattern is one for the names in `namespace`. Raises `PatternError`.
    """
    text = name.removeprefix(REGEX)
    scheme, space, local = "persistent://", namespace, text
    if "://" in text:
        full = _FULL.fullmatch(text)
        if full is None:
            raise PatternError(
                "a full pattern is persistent:// or non-persistent://, tenant, namespace, and a "
                "pattern for the rest of the name alone"
            )
        scheme, space, local = full.groups()
    return f"{scheme}{space}/(?:{check_pattern(local)})"
