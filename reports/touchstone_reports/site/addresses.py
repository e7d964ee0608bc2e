"""Where each page of the site stands: addresses that stay the same from one site to the next.

Paths are relative to the site's folder. Links name `index.html`, so that they lead on from disk,
too; a server finds the same page by the folder.
"""

from __future__ import annotations

import hashlib
import re
from typing import Final

OVERVIEW: Final = "index.html"
REQUIREMENTS: Final = "requirement/index.html"
FINDINGS: Final = "finding/index.html"
FINDINGS_TABLE: Final = "finding/findings.csv"
WORDS: Final = "words/index.html"
MATRIX: Final = "matrix/index.html"
SEARCH: Final = "search/index.html"
SEARCH_INDEX: Final = "search/index.js"
PAIRS: Final = "pairs/index.html"
FEED: Final = "feed.xml"
STYLE: Final = "site.css"
SCRIPT: Final = "site.js"
_DIGITS: Final = 8
_PLAIN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*\Z", re.ASCII)


def name_in_address(name: str, telling: str = "") -> str:
    """A part of an address for a name, other for each: letters, digits, dots and hyphens.

    A name that has anything else gets a checksum; so does one that `telling` has to tell from
    others of its name.
    """
    plain = name.replace("/", ".") if name.count("/") == 1 else name
    if _PLAIN.match(plain) and len(plain) <= 100 and not telling:
        return plain
    stem = re.sub(r"[^A-Za-z0-9-]+", "-", plain, flags=re.ASCII).strip("-")[:60] or "x"
    told = f"{name}\n{telling}".encode("utf-8", "surrogatepass")
    return f"{stem}-{hashlib.sha256(told).hexdigest()[:_DIGITS]}"


def client_folder(client: str) -> str:
    """The folder of a client, without its version."""
    return f"client/{name_in_address(client)}"


def client_page(client: str) -> str:
    """The page of a client."""
    return f"{client_folder(client)}/index.html"


def client_feed(client: str) -> str:
    """What is new of a client."""
    return f"{client_folder(client)}/feed.xml"


def releases_page(client: str, family: str) -> str:
    """A client's releases side by side, on brokers of one family."""
    return f"{client_folder(client)}/releases/{name_in_address(family)}/index.html"


def badge(client: str, document: str) -> str:
    """The picture of a client for a document."""
    return f"{client_folder(client)}/badges/{name_in_address(document)}.svg"


def requirement_page(id_: str) -> str:
    """The page of a requirement."""
    return f"requirement/{name_in_address(id_)}/index.html"


def finding_page(id_: str) -> str:
    """The page of a finding, by its id."""
    return f"finding/{id_}/index.html"


def program(path: str) -> str:
    """A program that several findings share."""
    return "/".join(("program", *map(name_in_address, path.split("/"))))


def root_from(path: str) -> str:
    """What leads from a page to the site's folder."""
    return "../" * path.count("/")
