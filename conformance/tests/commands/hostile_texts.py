"""A corpus of hostile texts, and what a real parser finds in a page that they stand in."""

from __future__ import annotations

from html.parser import HTMLParser
from urllib.parse import urlsplit

import pytest

HOSTILE = {
    "script": "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "double quoted": '"><svg onload=alert(1)><a href="//evil.example">x</a>',
    "single quoted": "' onmouseover='alert(1)' x='",
    "end of all": "</title></style></textarea></script></svg></template><script>alert(1)</script>",
    "address": "javascript:alert(1)//",
    "comment": "<!-- <script> --!> ]]> <![CDATA[ <x/> ]]> <?pi ?>",
    "entities": "&lt;b&gt; &#60;b&#62; &quot;&amp;",
    "lines": "a\n\nb\r\n# c\n=1",
    "line separators": "a\u2028b\u2029c\x85d",
    "controls": "a\x00\x07\x08\x9b31m\x1b[31mred\x1b]0;title\x07\x1b]8;;http://evil.example\x07x",
    "order": "\u202egnp.exe\u2066 \ud800 \ufffe",
    "templates": "{{ 7 * 7 }} {% raw %} ${7*7} #{7*7}",
    "rich": "[red]x[/red] [link=http://evil.example]x[/link] [/] [bold",
    "table": "a | b \\| c\n|---|---|\n| d |",
    "markdown": "[x](javascript:alert(1)) ![x](http://evil.example/x.png) **b** `c` <b> ~~d~~ # e",
    "mention": "@everyone @org/team #1 org/repository#2",
    "formula": "=1+1+cmd|' /C calc'!A0",
}
HARMLESS = "harmless"
everything = pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE.keys())


class Skeleton(HTMLParser):
    """The elements of a page with the names of their attributes, and every address."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, tuple[str, ...]]] = []
        self.addresses: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, tuple(name for name, _ in attrs)))
        self.addresses += [
            value or "" for name, value in attrs if name in ("href", "src", "action", "srcdoc")
        ]

    def handle_comment(self, data: str) -> None:
        self.elements.append(("comment", ()))


def same_elements(hostile: str, harmless: str) -> None:
    """Nothing but the texts differs; no address leads anywhere but to the page's own files."""
    left, other = Skeleton(hostile), Skeleton(harmless)
    assert len(other.elements) > 10
    assert left.elements == other.elements
    for address in left.addresses:
        parts = urlsplit(address)
        assert parts.scheme in ("", "data"), address
        assert not parts.netloc, address
