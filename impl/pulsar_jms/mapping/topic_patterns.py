"""Patterns of topic names: which regular expressions are understood, and what they cover.

pulsar-client hands a pattern to C++'s std::regex, where a wrong one ends the whole process and some
constructs mean something else than in Java or Python. So a pattern is parsed here first, by the
part of the syntax that means the same everywhere: characters, `.`, escapes, classes, groups,
alternatives and repetitions. As in C++, a character is a byte of the name's UTF-8 form.

Names are made by whoever may make topics, and time must not double with each letter of one, as with
`(a|a)*b` where expressions go back and try again. So they are matched by RE2, whose time is in
proportion to the name; the broker and Pulsar's Java client use it, too (RE2/J).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import re2

MAX_SIZE = 10_000
"""How many elements a pattern may have when its counted repetitions are written out."""
_MAX_DEPTH = 50
_CLASS_ESCAPES = "dDwWsS"
_PUNCTUATION = frozenset(r"""!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~""")
_NEEDS_ESCAPE = frozenset(r"\^$*+?()[]{}|")
_COUNT = re.compile(r"\{(\d{1,5})(,(\d{1,5})?)?\}")
_RANGE = re.compile(r"[a-z]-[a-z]|[A-Z]-[A-Z]|[0-9]-[0-9]")


class PatternError(ValueError):
    """A pattern that is not understood; the text says where and why."""


def check_pattern(pattern: str) -> str:
    """`pattern` itself; `PatternError` where it is no pattern that every part understands.

    A pattern covers whole names, so `^` before it and `$` behind it are dropped.
    """
    text = pattern.removeprefix("^")
    if text.endswith("$") and not text.endswith("\\$"):
        text = text[:-1]
    if not text:
        raise PatternError("it is empty")
    if "/" in text:
        raise PatternError("a name of a topic has no slash; tenant and namespace stand before it")
    parser = _Parser(text)
    size = parser.alternatives(0)
    if parser.at < len(text):
        raise parser.error("closes no group")
    if size > MAX_SIZE:
        raise PatternError(f"written out it has more than {MAX_SIZE} elements")
    _compile(text)
    return text


def topics_covered(pattern: str, topics: Iterable[str]) -> list[str]:
    """Those of the full names `topics` that the full `pattern` covers, in their order.

    A partition counts as its partitioned topic, which is given once.
    """
    expression = _compile(pattern)
    names = dict.fromkeys(re.sub(r"-partition-\d+$", "", topic) for topic in topics)
    return [name for name in names if expression.fullmatch(_bytes(name))]


def _compile(pattern: str) -> Any:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1  # a character is a byte
    options.log_errors = False
    try:
        return re2.compile(_bytes(pattern), options)
    except re2.error as error:
        raise PatternError(f"RE2 refuses it: {error.args[0].decode(errors='replace')}") from error


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


class _Parser:
    """Recursive descent; each method gives the size of what it read, written out."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def error(self, why: str) -> PatternError:
        return PatternError(f"{self.text[self.at :][:10]!r} at character {self.at + 1} {why}")

    def alternatives(self, depth: int) -> int:
        size = self.sequence(depth)
        while self.take("|"):
            size += 1 + self.sequence(depth)
        return size

    def sequence(self, depth: int) -> int:
        size = 0
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            size += self.element(depth) * self.repetition()
        return size

    def element(self, depth: int) -> int:
        sign = self.text[self.at]
        if sign == "(":
            return self.group(depth + 1)
        if sign == "[":
            return self.character_class()
        if sign == "\\":
            self.escape()
        elif sign in _NEEDS_ESCAPE:
            raise self.error("cannot stand here; a backslash before it makes it a character")
        else:
            self.at += 1
        return 1

    def group(self, depth: int) -> int:
        if depth > _MAX_DEPTH:
            raise self.error(f"is the {depth}th group inside another")
        start = self.at
        self.at += 1
        if not self.take("?:") and self.text.startswith("?", self.at):
            self.at = start
            raise self.error("is a kind of group that is not supported; ( and (?: are")
        size = self.alternatives(depth)
        if not self.take(")"):
            self.at = start
            raise self.error("opens a group that is not closed")
        return size + 1

    def character_class(self) -> int:
        start = self.at
        self.at += 1
        self.take("^")
        first = self.at
        while not self.text.startswith("]", self.at) or self.at == first:
            if self.at >= len(self.text):
                self.at = start
                raise self.error("opens a class that is not closed")
            if _RANGE.match(self.text, self.at):
                if self.text[self.at] > self.text[self.at + 2]:
                    raise self.error("is a range that runs backwards")
                self.at += 3
            elif self.text[self.at] == "\\":
                self.escape()
            elif self.text[self.at] in "[]-^" or ord(self.text[self.at]) > 127:
                raise self.error("cannot stand in a class without a backslash before it")
            else:
                self.at += 1
        self.at += 1
        return 1

    def escape(self) -> None:
        sign = self.text[self.at + 1 : self.at + 2]
        if not sign or (sign not in _CLASS_ESCAPES and sign not in _PUNCTUATION):
            raise self.error("is no escape that is supported")
        self.at += 2

    def repetition(self) -> int:
        """How many elements the one before becomes."""
        if self.take("*") or self.take("+") or self.take("?"):
            most = 1
        elif counted := _COUNT.match(self.text, self.at):
            least, comma, last = counted.groups()
            most = int(last or least)
            if most < int(least):
                raise self.error("repeats at most less often than at least")
            if comma and not last:
                most += 1
            self.at = counted.end()
        else:
            return 1
        self.take("?")
        if self.text[self.at : self.at + 1] in tuple("*+?{"):
            raise self.error("repeats a repetition")
        return max(most, 1)

    def take(self, text: str) -> bool:
        if self.text.startswith(text, self.at):
            self.at += len(text)
            return True
        return False
