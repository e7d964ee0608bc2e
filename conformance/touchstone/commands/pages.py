"""What commands that print also write as a page: where it goes, and that it is opened."""

from __future__ import annotations

import argparse
import webbrowser
from pathlib import Path

from jms_brokers.machine.secrecy import hide_secrets
from touchstone.catalogue import Library
from touchstone.commands.output import console
from touchstone_reports.side_by_side import SideBySide, Statements, render


def add_page(parser: argparse.ArgumentParser, name: str, usual: str) -> None:
    """Add the options that ask for the page `name`; `usual` says where it goes by default."""
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help=f"also as a page: write {name} to this folder"
    )
    parser.add_argument(
        "--open", action="store_true", help=f"open the page in a browser (default DIR: {usual})"
    )


def page_file(arguments: argparse.Namespace, name: str, usual: Path) -> Path | None:
    """Where the page `name` goes; None where none was asked for."""
    if arguments.out is None and not arguments.open:
        return None
    folder: Path = arguments.out or usual
    return folder / name


def statements_of(library: Library) -> Statements:
    """What pages say of the requirements of the catalogues."""
    return Statements.of([each.as_dict() for each in library.requirements.values()])


def write_page(page: SideBySide, file: Path) -> None:
    """Write it, without secrets."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(hide_secrets(render(page)), encoding="utf-8", newline="\n")


def present_page(page: SideBySide, file: Path, arguments: argparse.Namespace) -> None:
    """Write it, say where it is, and open it if that was asked for."""
    write_page(page, file)
    console(stderr=arguments.json).print(f"Page  {file}", markup=False, soft_wrap=True)
    if arguments.open:
        open_page(file)


def open_page(file: Path) -> None:
    """Open a page in a browser."""
    webbrowser.open(file.resolve().as_uri())
