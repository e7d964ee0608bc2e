"""The line that says how far a run is: below what pytest prints on a terminal, else one a minute.

It is written by a thread of its own, to a copy of the output: while a scenario runs in this
process, pytest catches what goes to the output itself.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, TextIO

import pytest

_MINUTE: Final = 60.0
_SECOND: Final = 1.0
_ERASE: Final = "\x1b[J"
"""From the cursor on, which is where pytest writes next."""


def begin(config: pytest.Config, text: Callable[[], str]) -> Callable[[], None]:
    """Show `text` until the function is called that this returns; nothing without an output."""
    if not config.pluginmanager.has_plugin("terminalreporter"):
        return _nothing
    writer: Any = config.get_terminal_writer()
    try:
        copy = os.dup(writer._file.fileno())
    except (OSError, ValueError, AttributeError):  # what pytest writes goes to no file
        return _nothing
    out = os.fdopen(copy, "w", encoding="utf-8", newline="")
    obeys = os.isatty(copy) and os.environ.get("TERM") != "dumb" and "CI" not in os.environ
    live = obeys and config.option.capture != "no"
    return (_Live if live else _Plain)(writer, out, text).end


def _nothing() -> None:
    return


class _Shown:
    """Shows the text every so many seconds."""

    every: float

    def __init__(self, writer: Any, out: TextIO, text: Callable[[], str]) -> None:
        self._writer = writer
        self._out = out
        self._text = text
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._go_on, name="status line", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Show nothing more."""
        self._ended.set()
        self._thread.join()
        with suppress(OSError):
            self._out.close()

    def _go_on(self) -> None:
        with suppress(OSError):  # nobody reads it
            while not self._ended.wait(self.every):
                with self._lock:
                    self._show()

    def _show(self) -> None:
        raise NotImplementedError


class _Plain(_Shown):
    """A line of its own, also among pytest's dots."""

    every = _MINUTE

    def _show(self) -> None:
        before = "\n" * bool(self._writer.width_of_current_line)
        self._out.write(f"{before}touchstone: {self._text()}\n")
        self._out.flush()
        self._writer._current_line = ""


class _Live(_Shown):
    """The file that pytest writes to meanwhile: what is shown gives way, and comes again below."""

    every = _SECOND

    def __init__(self, writer: Any, out: TextIO, text: Callable[[], str]) -> None:
        self._last = text()
        self._file = writer._file
        super().__init__(writer, out, text)
        writer._file = self

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def write(self, text: str) -> int:
        """Write what pytest says."""
        with self._lock:
            self._out.write(f"{_ERASE}{text}{self._drawn()}")
            self._out.flush()
        return len(text)

    def end(self) -> None:
        """Take the line away."""
        self._writer._file = self._file
        with self._lock, suppress(OSError):
            self._out.write(_ERASE)
        super().end()

    def _show(self) -> None:
        self._last = self._text()
        self._out.write(f"{_ERASE}{self._drawn()}")
        self._out.flush()

    def _drawn(self) -> str:
        """The text, and the way back to where pytest's last line ends."""
        text = self._last[: self._writer.fullwidth - 1]
        if column := len(self._writer._current_line.rpartition("\r")[2]):
            return f"\n{text}\r\x1b[A\x1b[{column}C"
        return f"{text}\r"
