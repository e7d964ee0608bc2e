"""Texts without the secrets that this process knows: the one redactor, for every edge where texts
leave it (results, what pytest prints, what commands print).

A process knows the secrets that it was given (`learn`: tokens and passwords of brokers, settings
whose names say secret), those of the URLs in its command line and environment, and those variables
whose names say secret. Where one text holds several parts with names (JAAS, JSON, `name:value,…`,
`-Dname=value`), the parts whose names say secret are known, too. Besides, it recognises by their
form: the password of a URL, a JSON Web Token, a private key in PEM, and a password in a query, in
JSON or in a JAAS configuration.

What is shorter than `SHORTEST` characters cannot be distinguished from other text, and is shown.
"""

from __future__ import annotations

import base64
import html
import json
import os
import re
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import TypeVar, cast
from urllib.parse import quote, quote_plus, unquote

T = TypeVar("T")
HIDDEN = "***"
SHORTEST = 3
_DISTINCT = 8
"""Characters from which on a secret is hidden inside of words, too, and variables are secret."""
_END = 12
"""Characters of the head or the tail of a secret that show it, where a text was cut off."""
_NAME = re.compile(
    r"^(?!.*(?:file|path)$).*"
    r"(?:passw|token|secret|credential|auth_?params|api_?key|private_?key|jaas)",
    re.IGNORECASE,
)
_FORMS = (
    (re.compile(r"(:/{1,2}[^\s:/?#@\"'<>]*:)[^\s/?#\"'<>,;(){}\[\]]+(?=@)"), rf"\1{HIDDEN}"),
    (re.compile(r"\beyJ[\w-]{6,}\.eyJ[\w-]*(?:\.[\w-]*)?"), HIDDEN),
    (
        re.compile(r"(-----BEGIN [A-Z ]*PRIVATE KEY-----).*?(?=-----END |\Z)", re.DOTALL),
        rf"\1{HIDDEN}",
    ),
    (re.compile(r"(?i)([?&][\w.]*passw(?:or)?d=)[^\s&#\"'<>]+"), rf"\1{HIDDEN}"),
    (re.compile(r"(?i)(\bpassword\s*=\s*\\?[\"])[^\"\\\s]+(?=\\?[\"])"), rf"\1{HIDDEN}"),
    (re.compile(r'(?i)("\w*password"\s*:\s*")(?:[^"\\]|\\.)+(?=")'), rf"\1{HIDDEN}"),
)
_MAYBE_OF_FORM = re.compile(r":/|eyJ|-----BEGIN|passw", re.IGNORECASE)
"""What stands in every text that has one of these forms; most texts have none."""
_PART = re.compile(
    r"""(?P<name>[\w.-]+)["']?\s*(?P<sign>[:=])\s*"""
    r"""(?=(?P<quoted>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?P<open>\S.*))""",
    re.DOTALL,
)
"""A name and what follows it, in JAAS, JSON, lists of settings and options of Java."""
_BETWEEN_PARTS = (r"\s", r"[\s,]", r"[\s;]", r"[\s&]", r"[\s,;&]")
_told: set[str] = set()


def tells_secret(name: str) -> bool:
    """Whether a setting, parameter or variable of this name holds a secret."""
    return _NAME.search(name) is not None


def learn(*secrets: str | None) -> None:
    """Have these hidden from now on."""
    _told.update(secret for secret in secrets if secret)


def learn_url(url: str) -> None:
    """Have the password of a URL hidden from now on; it may hold any character, as people type."""
    _told.update(_secrets_in_url(url))


def learn_settings(settings: Mapping[str, object]) -> None:
    """Have the settings hidden whose names say secret, and the passwords of their URLs."""
    for name, value in settings.items():
        if isinstance(value, Mapping):
            learn_settings(value)
        elif isinstance(value, str):
            learn_url(value)
            if tells_secret(name) and len(value) >= _DISTINCT:
                learn(value, value.removeprefix("token:"), *_secrets_in_parts(value, ":="))


def hide_in(file: Path) -> None:
    """Have a file without any secret, if it is there; what is no UTF-8 stays as it is."""
    if file.exists():
        written = file.read_text(encoding="utf-8", errors="surrogateescape")
        if (shown := hide_secrets(written)) != written:
            try:
                file.write_text(shown, encoding="utf-8", errors="surrogateescape")
            except OSError:  # a full disk: rather no log than one with a secret
                file.unlink()


def hide_secrets(value: T) -> T:
    """`value` without any secret: a text, or plain data with texts inside (not in its keys)."""
    known = frozenset(_told | _surrounding_secrets())
    return cast(T, _hide_secrets(value, known))


def _hide_secrets(value: object, known: frozenset[str]) -> object:
    if isinstance(value, str):
        return _remove_secrets(value, known)
    if isinstance(value, Mapping):
        return {key: _hide_secrets(item, known) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_hide_secrets(item, known) for item in value)
    return value


def _remove_secrets(text: str, known: frozenset[str]) -> str:
    forms = _FORMS if _MAYBE_OF_FORM.search(text) else ()
    for pattern, shown in forms:  # first: the head of a known token may be that of an unknown one
        text = pattern.sub(shown, text)
    for form in _all_spellings(known):
        if len(form) >= _DISTINCT:
            text = text.replace(form, HIDDEN)
        elif form in text:
            text = _remove_word(text, form)
    for form in _all_spellings(known):  # last: one spelling of a secret may begin like another
        if len(form) >= 2 * _END:
            text = _remove_ends(text, form)
    return text


def _remove_word(text: str, word: str) -> str:
    return re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", HIDDEN, text)


@cache
def _all_spellings(known: frozenset[str]) -> tuple[str, ...]:
    """Every spelling of every secret, the longest first: one may be a part of another."""
    forms = {form for secret in known for form in _spellings(secret) if len(form) >= SHORTEST}
    return tuple(sorted(forms, key=lambda form: (-len(form), form)))


def _spellings(secret: str) -> Iterable[str]:
    """How a secret may stand in a text: as it is, escaped, in hex, within Base64."""
    plain = secret.encode("utf-8", "surrogatepass")
    yield secret
    yield from (quote(plain), quote(plain, safe=""), quote_plus(plain))
    yield from (json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1])
    yield from (repr(secret)[1:-1], html.escape(secret))
    for before in range(3):  # characters that hold nothing but the secret, wherever it begins
        encoded = base64.b64encode(bytes(before) + plain).decode()
        inner = encoded[(0, 2, 3)[before] : (before + len(plain)) * 8 // 6]
        if len(inner) >= _DISTINCT:
            yield from (inner, inner.translate(str.maketrans("+/", "-_")))
    if len(plain) >= _DISTINCT // 2:
        yield from (plain.hex(), plain.hex().upper())


def _remove_ends(text: str, secret: str) -> str:
    """`text` without heads and tails of the secret, as they stay where a long text is shortened."""
    for end, step in ((secret[:_END], 1), (secret[-_END:], -1)):
        while (at := text.find(end)) >= 0:
            since, until = at, at + _END
            while step > 0 and secret.startswith(text[since : until + 1]) and until < len(text):
                until += 1
            while step < 0 and since > 0 and secret.endswith(text[since - 1 : until]):
                since -= 1
            text = text[:since] + HIDDEN + text[until:]
    return text


def _surrounding_secrets() -> frozenset[str]:
    """The secrets in the command line and the environment, as they are now."""
    return _secrets_in_words(tuple(sys.argv), tuple(os.environ.items()))


@lru_cache(maxsize=4)
def _secrets_in_words(
    words: tuple[str, ...], variables: tuple[tuple[str, str], ...]
) -> frozenset[str]:
    values: set[str] = set()
    for text in (*words, *(value for _, value in variables)):
        values |= _secrets_in_url(text) | _secrets_in_parts(text, "=")
    for name, value in variables:
        if tells_secret(name) and len(value) >= _DISTINCT and not _is_there(value):
            values |= {value, *_secrets_in_parts(value, ":=")}
    return frozenset(values)


def _secrets_in_parts(text: str, signs: str) -> set[str]:
    """The parts of a text whose names say secret; where one ends differs from text to text."""
    values: set[str] = set()
    for part in _PART.finditer(text):
        if part["sign"] not in signs or not tells_secret(part["name"]):
            continue
        if quoted := part["quoted"]:
            values |= {quoted[1:-1], _unescape(quoted)}
        else:
            values |= {re.split(between, part["open"], maxsplit=1)[0] for between in _BETWEEN_PARTS}
    return {value for value in values if len(value) >= _DISTINCT and not _is_there(value)}


def _unescape(quoted: str) -> str:
    """The text within quotes, where a backslash escapes, as in JSON or else as in JAAS."""
    with suppress(ValueError):
        return str(json.loads(quoted, strict=False))
    return re.sub(r"\\(.)", r"\1", quoted[1:-1])


def _is_there(value: str) -> bool:
    """Whether it is the path of something, such as of the file with the secret."""
    try:
        return Path(value).exists()
    except (OSError, ValueError):  # too long for a path, or with a null character
        return False


def _secrets_in_url(text: str) -> set[str]:
    _, slashes, rest = text.partition("://")
    user, at, _ = rest.rpartition("@")
    _, colon, password = user.partition(":")
    if not (slashes and at and colon and password) or re.search(r"\s", rest):
        return set()
    return {password, unquote(password)}
