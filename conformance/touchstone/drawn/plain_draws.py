"""Draws that are only drawn: each program is new, and a seed draws the same everywhere."""

from __future__ import annotations

from typing import Any, Final

from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider

BACKEND: Final = "touchstone"
"""The name by which `hypothesis.settings` knows it."""


class PlainDraws(HypothesisProvider):
    """Hypothesis' own draws, without what it adds to them.

    It tries variants of each example, so that four of five programs repeat most of another, and
    mixes in constants of the modules that happen to be loaded. Shrinking is as ever.
    """

    def _maybe_draw_constant(self, *args: Any, **kwargs: Any) -> None:
        """No constants."""


AVAILABLE_PROVIDERS[BACKEND] = PlainDraws
