"""What is installed on demand only."""

from __future__ import annotations

from touchstone.errors import UsageError


def require_volume() -> None:
    """Raises UsageError without NumPy and Arrow, which histories are sealed and verified by."""
    try:
        import numpy  # noqa: F401
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise UsageError(
            f"Histories need the extra volume ({error})",
            hint="pip install 'jms-touchstone[volume]'",
        ) from error
