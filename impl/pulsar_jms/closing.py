"""Objects that are closed by `close()` or as a context manager."""

from __future__ import annotations

from types import TracebackType
from typing import Self


class ContextManaged:
    """Closes itself at the end of a with block."""

    def close(self) -> None:
        """Give back what the object holds; closing twice does nothing."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
