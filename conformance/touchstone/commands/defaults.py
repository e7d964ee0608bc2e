"""What is typed each time, from a file in the current folder: a few keys with plain values.

`touchstone.toml`, or `[tool.touchstone]` in `pyproject.toml`. What configures pytest in that folder
counts for no run, and this is no way around it: a key stands for an option of Touchstone that has
a value, none for code, a plug-in, a secret or what makes a run pass.
"""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from jms_brokers.errors import HintedError
from jms_clients.registry import Spelling
from touchstone.commands.output import console
from touchstone.errors import UsageError

OWN_FILE: Final = "touchstone.toml"
PROJECT_FILE: Final = "pyproject.toml"
_TABLE: Final = "[tool.touchstone]"


@dataclass(frozen=True)
class Key:
    """A key of the file, and the option that it stands for."""

    option: str
    kind: str
    """What people are told that its value is."""
    fits: Callable[[Any], bool]
    yields_to: tuple[str, ...] = ()
    """Further options that replace it, where they are given: together they say one thing."""


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value.strip() == value != "" and not value.startswith("-")


def _is_texts(value: Any) -> bool:
    texts = value if isinstance(value, list) else [value]
    return bool(texts) and all(map(_is_text, texts))


def _is_client(value: Any) -> bool:
    """Whether these are clients that are installed, by name: code cannot be named."""
    if not _is_texts(value):
        return False
    try:
        return all(Spelling.parse(text).module is None for text in _words(value))
    except HintedError:
        return False


def _is_whole(value: Any, least: int) -> bool:
    return type(value) is int and value >= least


def _is_seconds(value: Any) -> bool:
    return type(value) in (int, float) and 0 < value < float("inf")


_OF_BROKER: Final = ("--broker", "--admin-url", "--token-file", "--tls-trust-certs")
"""With one of these on the command line nothing of the broker is taken from a file: a token never
goes to a broker that a file named."""
_HOW_MANY: Final = ("--draw", "--sample", "--scenario", "--requirement", "--lf")
KEYS: Final[Mapping[str, Key]] = {
    "provider": Key("--provider", "an installed client, or a list of them", _is_client),
    "java": Key("--java", "a whole number", lambda value: _is_whole(value, 1)),
    "broker": Key("--broker", "a text or a list of texts", _is_texts, _OF_BROKER),
    "admin-url": Key("--admin-url", "a text", _is_text, _OF_BROKER),
    "workers": Key(
        "--numprocesses",
        'a whole number, or "auto"',
        lambda value: value == "auto" or _is_whole(value, 0),
        ("-n",),
    ),
    "results-dir": Key("--results-dir", "a text", _is_text),
    "seed": Key("--touchstone-seed", "a whole number", lambda value: _is_whole(value, 0)),
    "draw": Key("--draw", "a whole number from 1", lambda value: _is_whole(value, 1), _HOW_MANY),
    "sample": Key(
        "--sample", "a whole number from 1", lambda value: _is_whole(value, 1), _HOW_MANY
    ),
    "timeout": Key("--touchstone-timeout", "a number of seconds", _is_seconds),
}
_OF_EVERY_COMMAND: Final = "results-dir"
"""What commands take besides `run`, where they look for runs or write them."""


_RESULTS: Final = "results-dir"
"""What commands besides `run` take, too: there they look for runs, or write them."""


@dataclass(frozen=True)
class Defaults:
    """What a file says, checked."""

    file: str
    values: Mapping[str, Any]


def add_no_config(parser: argparse.ArgumentParser) -> None:
    """Add the option of every command that takes defaults."""
    parser.add_argument(
        "--no-config",
        action="store_true",
        help=f"take no defaults from {OWN_FILE} or {PROJECT_FILE}",
    )


def take_defaults(arguments: argparse.Namespace) -> None:
    """Put what the file in the current folder says into what was parsed, and say so in a line.

    What the command line says wins. A run that goes on has its own options.
    """
    defaults = None if arguments.no_config else read_defaults(Path())
    if defaults is None:
        return
    taken = []
    values = dict(defaults.values)
    where = values.pop(_RESULTS, None)
    if where is not None and arguments.results_dir is arguments.parser.get_default("results_dir"):
        arguments.results_dir = Path(where)
        taken.append(_RESULTS)
    if arguments.command == "run" and arguments.resume is None:
        providers = values.pop("provider", None)
        if providers is not None and not (arguments.provider or arguments.all):
            arguments.provider = _words(providers)
            taken.append("provider")
        failed_alone = ["--lf"] * arguments.last_failed
        further = not_given(values, [*arguments.rest, *failed_alone])
        arguments.rest = [*options_for(further), *arguments.rest]
        taken += further
    if taken:
        console(stderr=True).print(
            f"defaults from {defaults.file}: {', '.join(taken)}", markup=False
        )


def read_defaults(folder: Path) -> Defaults | None:
    """What the file in `folder` says, None without one; no other folder is looked into.

    `UsageError` names the file, and the key that is wrong.
    """
    own = _toml(folder / OWN_FILE)
    project = (_toml(folder / PROJECT_FILE) or {}).get("tool", {})
    table = project.get("touchstone") if isinstance(project, dict) else None
    if own is not None and table is not None:
        raise UsageError(
            f"{OWN_FILE} and {_TABLE} in {PROJECT_FILE} both have defaults",
            hint="Keep one of them.",
        )
    if own is not None:
        return checked(OWN_FILE, own)
    return None if table is None else checked(f"{_TABLE} in {PROJECT_FILE}", table)


def checked(file: str, values: object) -> Defaults:
    """The values of a file; `UsageError` names the file, the key and what is known."""
    if not isinstance(values, dict):
        raise UsageError(f"{file} has to be a table", hint=_KNOWN)
    for name, value in values.items():
        if name not in KEYS:
            raise UsageError(f"{file} has an unknown key: {name}", hint=_KNOWN)
        if not KEYS[name].fits(value):
            raise UsageError(f"{name} in {file} has to be {KEYS[name].kind}", hint=_KNOWN)
    return Defaults(file, values)


def not_given(values: Mapping[str, Any], words: Iterable[str]) -> Mapping[str, Any]:
    """Those of the values whose options, and what replaces them, are not among the words."""
    there = list(words)
    return {
        name: value
        for name, value in values.items()
        if not any(
            _is_option(word, option)
            for word in there
            for option in (KEYS[name].option, *KEYS[name].yields_to)
        )
    }


def options_for(values: Mapping[str, Any]) -> list[str]:
    """The words that say the same on the command line; a value cannot be taken for an option."""
    return [
        f"{KEYS[name].option}={word}" for name, value in values.items() for word in _words(value)
    ]


def _is_option(word: str, option: str) -> bool:
    short = not option.startswith("--")
    return word == option or word.startswith(option if short else f"{option}=")


def _words(value: Any) -> list[str]:
    return [str(each) for each in (value if isinstance(value, list) else [value])]


def _toml(file: Path) -> dict[str, Any] | None:
    """What a file says, None where there is none; `UsageError` where it cannot be read."""
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(
            f"{file.name} cannot be read: {type(error).__name__}: {error}",
            hint="Mend it, or give --no-config.",
        ) from error


_KNOWN: Final = (
    "Known: "
    + "; ".join(f"{name} ({key.kind})" for name, key in KEYS.items())
    + ". --no-config ignores the file."
)
