"""What a client writes to Python's logging while a scenario runs."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

_FORMAT = logging.Formatter()


class ClientLog:
    """What the client logged while the scenario ran."""

    def __init__(self) -> None:
        self.records: list[logging.LogRecord] = []

    def errors(self) -> list[str]:
        """The messages logged as errors or worse."""
        return [r.getMessage() for r in self.records if r.levelno >= logging.ERROR]

    def texts(self) -> list[str]:
        """Every entry as text, with the exception that it is about."""
        return [_FORMAT.format(record) for record in self.records]


class _Keeper(logging.Handler):
    def __init__(self, log: ClientLog) -> None:
        super().__init__()
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        self._log.records.append(record)


@contextmanager
def logged() -> Iterator[ClientLog]:
    """Everything that goes to Python's logging while the block runs."""
    log = ClientLog()
    handler = _Keeper(log)
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield log
    finally:
        root.removeHandler(handler)
