"""Tables of commands: every character is there, on lines that are as long as they may be."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.hostile_texts import everything
from jms_brokers.machine import secrecy
from touchstone.commands.output import _laid_out, print_table

WORDS = st.text(st.sampled_from("abc é-\n"), max_size=40)


def without_blanks(text: str) -> list[str]:
    return sorted(text.replace(" ", "").replace("\n", ""))


@given(
    rows=st.integers(1, 5).flatmap(
        lambda columns: st.lists(st.tuples(*[WORDS] * columns), min_size=1, max_size=6)
    ),
    width=st.integers(20, 60),
)
def test_no_line_is_too_long_and_no_character_is_lost(
    rows: list[tuple[str, ...]], width: int
) -> None:
    shown = _laid_out(rows, [False] * len(rows[0]), width)
    assert len(shown) == len(rows)
    for row, text in zip(rows, shown, strict=True):
        assert all(len(line) <= width for line in text.split("\n"))
        assert without_blanks(text) == without_blanks("".join(row))


def test_the_widest_columns_are_folded_between_words(capsys: pytest.CaptureFixture[str]) -> None:
    long = " ".join(["words"] * 30)
    print_table("title", ("id", "count", "text", "other"), [("a", 7, long, "y"), ("b", 10, "", "")])
    title, head, *lines = capsys.readouterr().out.split("\n")
    assert title == "title"
    assert head.split() == ["id", "count", "text", "other"]
    assert lines[0].startswith("a       7  words words")
    assert [line[head.index("other") :] for line in lines[:2]] == ["y", ""]
    assert "b      10" in lines
    assert all(set(line.split()) <= {"a", "b", "7", "10", "words", "y"} for line in lines)
    assert max(map(len, lines)) <= 200


def be_narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal of forty characters."""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "40")


def plain(capsys: pytest.CaptureFixture[str]) -> str:
    """What was printed, without what makes a terminal write it bold."""
    return re.sub(r"\x1b\[\d*m", "", capsys.readouterr().out)


WIDE = ("name", "much text", "some more", "the last")
ROWS = [("reference/rabbitmq", "words " * 9, "jakarta.jms", "unexpected"), ("b", "c", "d", "e")]


def test_words_are_whole_while_there_is_room_for_them(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    be_narrow(monkeypatch)
    print_table("", WIDE[:3], [row[:3] for row in ROWS], spare=["some more"])
    shown = plain(capsys)
    assert {"reference/rabbitmq", "jakarta.jms", *["words"] * 9} <= {*shown.split()}
    assert max(map(len, shown.splitlines())) <= 40
    assert "without" not in shown


@pytest.mark.parametrize(
    ("spare", "gone"),
    [
        (("the last", "some more"), {"the last"}),
        (("some more", "the last"), {"some more"}),
        (("much text", "some more", "the last"), {"much text", "some more"}),
    ],
)
def test_columns_are_left_out_rather_than_words_broken(
    spare: Sequence[str],
    gone: set[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    be_narrow(monkeypatch)
    rows = [(row[0], "words " * 9, *row[2:]) for row in ROWS]
    print_table("", WIDE, rows, spare=spare)
    *table, told = plain(capsys).splitlines()
    named = told.removeprefix("for want of room without: ").removesuffix(" (--json has all)")
    assert {*named.split(", ")} == gone
    assert max(map(len, table)) <= 40
    kept = [place for place, name in enumerate(WIDE) if name not in gone]
    words = {word for row in rows for place in kept for word in row[place].split()}
    assert words <= {*" ".join(table).split()}


def test_where_even_that_does_not_help_no_character_is_lost(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    be_narrow(monkeypatch)
    print_table("", ("one", "two"), [("x" * 50, "y" * 20)], spare=["two"])
    shown = plain(capsys)
    assert shown.count("x") == 50
    assert "without: two" in shown


def test_nothing_is_left_out_where_no_terminal_reads(capsys: pytest.CaptureFixture[str]) -> None:
    print_table("", WIDE, ROWS, spare=WIDE[1:])
    assert "without" not in capsys.readouterr().out


def test_a_table_without_rows_or_names(capsys: pytest.CaptureFixture[str]) -> None:
    print_table("", ("one", "two"), [])
    print_table("", ("", ""), [("name", 1)])
    assert capsys.readouterr().out == "one  two\nname  1\n"


def test_a_terminal_says_how_wide_a_table_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "20")
    print_table("", ("text",), [("word " * 20,)])
    head, *lines = capsys.readouterr().out.split("\n")
    assert head == "\x1b[1mtext\x1b[0m"
    assert lines == [*["word word word word"] * 5, ""]


@everything
def test_a_table_obeys_nothing(hostile: str, capsys: pytest.CaptureFixture[str]) -> None:
    print_table("", (hostile,), [(hostile,)])
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert "\r" not in shown


def test_a_secret_is_hidden_before_it_is_folded(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = "s3cret" * 50
    monkeypatch.setattr(secrecy, "_told", {secret})
    print_table("", ("text",), [(f"it is {secret}",)])
    assert capsys.readouterr().out == "text\nit is ***\n"
