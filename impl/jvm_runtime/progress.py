"""Progress of long steps: a bar on a terminal, one line elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

Advance = Callable[[int], None]
Progress = Callable[[str, int], AbstractContextManager[Advance]]
"""Opens a step by its title and size in bytes (0: unknown); yields what takes the bytes done."""


@contextmanager
def quiet(title: str, size: int) -> Iterator[Advance]:
    """Show nothing."""
    del title, size
    yield lambda done: None


@contextmanager
def on_stderr(title: str, size: int) -> Iterator[Advance]:
    """Show a bar if standard error is a terminal, else one line that says what is being done."""
    if not sys.stderr.isatty():
        print(f"{title} …", file=sys.stderr, flush=True)  # noqa: T201 - this is the interface
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        ProgressColumn,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
        TransferSpeedColumn,
    )

    columns: list[ProgressColumn] = [SpinnerColumn(), TextColumn("{task.description}")]
    columns += [BarColumn(), DownloadColumn(), TransferSpeedColumn()] if size else []
    columns += [TimeElapsedColumn()]
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=size or None)
        yield lambda done: bar.advance(task, done)
