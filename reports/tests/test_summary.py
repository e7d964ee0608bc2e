"""The summary on a terminal and in CI."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from touchstone_reports.results import read
from touchstone_reports.summary import print_summary


def printed(run: Path, *, terminal: bool) -> str:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=terminal, width=40, color_system="standard")
    print_summary(read(run), console, run / "report.html")
    return stream.getvalue()


def test_plain_when_not_a_terminal(mixed_run: Path) -> None:
    text = printed(mixed_run, terminal=False)

    assert "\x1b" not in text
    lines = [line.strip() for line in text.splitlines()]
    assert "Run 2026-11-21T09-00-00  seed 7, 90.5 s" in lines
    assert "reference on pulsar 4.0.7  5 requirements judged" in lines
    assert "✗     2 violate" in lines
    assert "≈     1 deviates as documented" in lines
    assert "✗ VIOLATES  SLJ-PROP-002  properties/test_int_property_is_decimal_text" in lines, (
        "no line is wrapped"
    )
    assert "size arrived as a float" in lines
    assert "touchstone run --provider reference --seed 7 properties/test_int" in lines
    assert lines[-1] == f"Report  {mixed_run / 'report.html'}"


def test_plain_in_ci(mixed_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")

    assert "\x1b" not in printed(mixed_run, terminal=True)


def test_coloured_on_a_terminal_and_nothing_else_controls_it(
    mixed_run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CI", raising=False)
    text = printed(mixed_run, terminal=True)

    assert "\x1b[1;31m✗ VIOLATES" in text
    assert "\x1b[31mred" not in text
    assert r"\x1b[31mred" in text
    assert "[bold]markup[/bold]" in text
    assert "\x07" not in text


def test_the_worst_comes_first_and_the_rest_is_counted(
    tmp_path: Path, verdict: Callable[..., dict[str, Any]], write_run: Callable[..., Path]
) -> None:
    many = [
        verdict(verdict="INCONCLUSIVE", scenario=f"headers/test_{n}", reason=f"{n} came")
        for n in range(30)
    ]
    directory = write_run(tmp_path / "run", [*many, verdict(verdict="VIOLATES")])

    text = printed(directory, terminal=False)

    assert text.index("✗ VIOLATES") < text.index("? INCONCLUSIVE")
    assert "… and 6 more that were not expected" in text


def test_what_one_reason_kept_from_being_judged_is_said_once_with_what_to_do(
    tmp_path: Path, verdict: Callable[..., dict[str, Any]], write_run: Callable[..., Path]
) -> None:
    reason = "setup failed: there is no Java\n  hint: install one"
    names = [f"headers/test_{n}" for n in range(30)]
    kept = [verdict(verdict="INCONCLUSIVE", scenario=name, reason=reason) for name in names]
    alike = [verdict(verdict="VIOLATES", scenario=name, reason="it failed") for name in names[:2]]
    directory = write_run(tmp_path / "run", [*kept, *alike])

    text = printed(directory, terminal=False)

    assert text.count("setup failed: there is no Java") == 1
    assert "hint: install one" in text
    assert "… and 29 more for the same reason" in text
    assert "were not expected" not in text
    assert text.count("it failed") == 2


def test_an_unfinished_run_says_so(
    tmp_path: Path, verdict: Callable[..., dict[str, Any]], write_run: Callable[..., Path]
) -> None:
    directory = write_run(tmp_path / "run", [verdict()], finished=False, torn=b'{"torn')

    text = printed(directory, terminal=False)

    assert "not finished" in text
    assert "! verdicts.jsonl.part:2: the last line is torn and left out" in text
