"""How wrong clients are made of functions, and how those of other distributions are found."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import patch

import pytest

from jms_clients.errors import ProviderError
from jms_clients.mutants import registry
from jms_clients.mutants.mutant import Mutant
from jms_clients.mutants.wrong import wrong


class Right:
    """What is broken here."""

    table: ClassVar[dict[str, Callable[[], str]]] = {"said": lambda: "right"}

    def say(self, word: str) -> str:
        return word

    @property
    def word(self) -> str:
        return "right"


@wrong("A-ONE-001", "A-ONE-002", patches=(Right, "say"))
def says_another_word(right: Right, word: str) -> str:
    """It says another word.

    Whatever it is given.
    """
    return "wrong"


@wrong("A-ONE-001", patches=(Right, "say"), provider="other", scenarios="some", name="1-word-twice")
def one_word_twice(original: Callable[..., str], right: Right, word: str) -> str:
    """It says each word twice."""
    return original(right, word) * 2


@wrong("A-ONE-001", patches=(Right, "word"))
def has_another_word(right: Right) -> str:
    """Its word is another."""
    return "wrong"


@wrong("A-ONE-001", patches=(Right.table, "said"))
def another_word_in_the_table(original: Callable[[], str]) -> str:
    """The table has another word."""
    return f"not {original()}"


@wrong("A-ONE-001")
@contextmanager
def both() -> Iterator[None]:
    """Two things are wrong."""
    with says_another_word.apply(), patch.object(Right, "word", "wrong"):
        yield


def told() -> tuple[Any, ...]:
    return Right().say("word"), Right().word, Right.table["said"]()


def test_a_function_says_all_that_a_wrong_client_is() -> None:
    assert says_another_word == Mutant(
        name="says-another-word",
        area="test-making-wrong-clients",
        violates=("A-ONE-001", "A-ONE-002"),
        doc="It says another word.",
        apply=says_another_word.apply,
    )
    assert (one_word_twice.name, one_word_twice.spelling, one_word_twice.scenarios) == (
        "1-word-twice",
        "other+mutant:1-word-twice",
        "some",
    )


@pytest.mark.parametrize(
    ("one", "then"),
    [
        (says_another_word, ("wrong", "right", "right")),
        (one_word_twice, ("wordword", "right", "right")),
        (has_another_word, ("word", "wrong", "right")),
        (another_word_in_the_table, ("word", "right", "not right")),
        (both, ("wrong", "wrong", "right")),
    ],
    ids=lambda value: value.name if isinstance(value, Mutant) else "",
)
def test_it_is_wrong_for_as_long_as_it_lasts(one: Mutant, then: tuple[str, ...]) -> None:
    for _ in range(2):
        with one.apply():
            assert told() == then
        assert told() == ("word", "right", "right")


MODULE = """
from jms_clients.mutants.wrong import wrong

@wrong("TRY-ONE-001")
def {name}():
    '''Nothing is right.'''
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The package of a distribution that brings wrong clients of its own."""
    package = tmp_path / "try_wrong_clients"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "odd_ones.py").write_text(MODULE.format(name="nothing_is_right"))
    distribution = tmp_path / "try_wrong-0.dist-info"
    distribution.mkdir()
    (distribution / "METADATA").write_text("Metadata-Version: 2.1\nName: try-wrong\nVersion: 0\n")
    (distribution / "entry_points.txt").write_text(f"[{registry.GROUP}]\ntry = {package.name}\n")
    monkeypatch.syspath_prepend(tmp_path)
    caches = (registry.all_mutants, registry.by_package)
    for cached in caches:
        cached.cache_clear()
    yield package
    for cached in caches:
        cached.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == package.name]:
        del sys.modules[name]


def test_those_of_another_distribution_are_found(installed: Path) -> None:
    assert registry.mutant("nothing-is-right").area == "odd-ones"
    assert {package.__name__ for package in registry.by_package()} >= {installed.name}


def test_no_two_have_one_name(installed: Path) -> None:
    (installed / "others.py").write_text(MODULE.format(name="nothing_is_right"))

    with pytest.raises(ProviderError, match="Two wrong clients are called nothing-is-right"):
        registry.all_mutants()


def test_a_package_that_cannot_be_loaded_is_named(installed: Path) -> None:
    (installed / "others.py").write_text("import no_such_module")

    with pytest.raises(ProviderError, match=r"'try' \(try_wrong_clients\) cannot be loaded: Mod"):
        registry.all_mutants()
