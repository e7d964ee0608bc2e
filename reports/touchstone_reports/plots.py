"""Plots as SVG text for a page: colours are the page's own variables, so they follow its theme.

Each takes plain numbers and returns one svg element with a title; the page also says in words or in
a table what a plot shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import floor, log10

from markupsafe import Markup, escape

from touchstone_reports.legible import legible

WIDTH, HEIGHT = 640, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 76, 12, 16, 34
_BOTTOM_LINE = HEIGHT - _BOTTOM
_INNER_WIDTH, _INNER_HEIGHT = WIDTH - _LEFT - _RIGHT, HEIGHT - _TOP - _BOTTOM

Say = Callable[[float], str]


@dataclass(frozen=True, slots=True)
class Series:
    """A line over time: its name, the class that gives its colour, a value for each step."""

    name: str
    style: str
    values: Sequence[float]


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of time to be shaded, in steps from the start."""

    name: str
    begin: float
    end: float


def plot_over_time(
    title: str, series: Sequence[Series], windows: Iterable[Window], step_seconds: float, say: Say
) -> Markup:
    """Lines over a common time axis, with shaded windows."""
    steps = max((len(line.values) for line in series), default=0)
    top = _round_up(max((max(line.values, default=0) for line in series), default=0))
    last = max(steps - 1, 1)

    def x(step: float) -> float:
        return _LEFT + min(max(step, 0), last) / last * _INNER_WIDTH

    def y(value: float) -> float:
        return _BOTTOM_LINE - value / top * _INNER_HEIGHT

    parts = [
        f'<rect class="fault" x="{x(window.begin):.1f}" y="{_TOP}" '
        f'width="{max(x(window.end) - x(window.begin), 2):.1f}" height="{_INNER_HEIGHT}">'
        f"<title>{_plain(window.name)}</title></rect>"
        for window in windows
    ]
    parts += _horizontal_rules([(y(top * part / 4), say(top * part / 4)) for part in range(5)])
    marks = [last * part / 4 for part in range(5)] if steps > 1 else [0.0]
    parts += [_text_below(x(at), f"{at * step_seconds:.3g} s") for at in marks]
    for line in series:
        points = " ".join(f"{x(step):.1f},{y(value):.1f}" for step, value in enumerate(line.values))
        parts.append(
            f'<polyline class="line {line.style}" points="{points}">'
            f"<title>{_plain(line.name)}</title></polyline>"
        )
    return _svg(title, parts)


def bars(title: str, values: Sequence[tuple[str, int]]) -> Markup:
    """A bar for each named number; heights are logarithmic, so that one of a million is seen."""
    powers = range(_power(max((value for _, value in values), default=1)) + 1)
    top = max(powers[-1], 1)
    width = _INNER_WIDTH / max(len(values), 1)
    parts = _horizontal_rules(
        [
            (_BOTTOM_LINE - power / top * _INNER_HEIGHT, f"{10**power:,}")
            for power in powers
            if top <= 6 or power % 2 == 0
        ]
    )
    for index, (name, value) in enumerate(values):
        left = _LEFT + index * width
        # One is one step above none.
        height = (log10(value) / top * _INNER_HEIGHT + 3) if value else 0
        parts.append(
            f'<rect class="bar-fill" x="{left + width * 0.15:.1f}" '
            f'y="{_BOTTOM_LINE - height:.1f}" width="{width * 0.7:.1f}" height="{height:.1f}">'
            f"<title>{_plain(name)}: {value:,}</title></rect>"
        )
        parts.append(_text_below(left + width / 2, name))
    return _svg(title, parts)


def distribution(title: str, bins: Sequence[tuple[int, int]], say: Say) -> Markup:
    """How often which magnitude was seen: ascending (lower bound, count), both axes by tens.

    Bins are joined to ten for each power of ten.
    """
    joined: dict[int, int] = {}
    for lower, count in bins:
        slot = floor(log10(max(lower, 1)) * 10)
        joined[slot] = joined.get(slot, 0) + count
    first, last = (min(joined), max(joined) + 1) if joined else (0, 10)
    first, last = first // 10 * 10, -(-last // 10) * 10
    slots = max(last - first, 10)
    most = max(_power(max(joined.values(), default=1)), 1)
    width = _INNER_WIDTH / slots
    parts = _horizontal_rules(
        [
            (_BOTTOM_LINE - power / most * _INNER_HEIGHT, f"{10**power:,}")
            for power in range(most + 1)
            if most <= 6 or power % 2 == 0
        ]
    )
    parts += [
        _text_below(_LEFT + (slot - first) * width, say(10 ** (slot // 10)))
        for slot in range(first, first + slots + 1, 10)
    ]
    for slot, count in sorted(joined.items()):
        told = f"{say(10 ** (slot / 10))}: {count:,}"
        height = log10(count) / most * _INNER_HEIGHT + 3
        parts.append(
            f'<rect class="bar-fill" x="{_LEFT + (slot - first) * width:.1f}" '
            f'y="{_BOTTOM_LINE - height:.1f}" width="{max(width - 1, 1):.1f}" '
            f'height="{height:.1f}"><title>{_plain(told)}</title></rect>'
        )
    return _svg(title, parts)


def _plain(text: str) -> Markup:
    return escape(legible(text))


def _svg(title: str, parts: Sequence[str]) -> Markup:
    inside = "\n".join(parts)
    return Markup(  # noqa: S704  (names are escaped where they are put in)
        f'<svg class="plot" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">'
        f"<title>{_plain(title)}</title>\n{inside}\n"
        f'<path class="axis" d="M{_LEFT} {_BOTTOM_LINE}H{WIDTH - _RIGHT}"/></svg>'
    )


def _horizontal_rules(lines: Iterable[tuple[float, str]]) -> list[str]:
    return [
        f'<path class="rule" d="M{_LEFT} {at:.1f}H{WIDTH - _RIGHT}"/>'
        f'<text x="{_LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{_plain(text)}</text>'
        for at, text in lines
    ]


def _text_below(at: float, text: str) -> str:
    anchor = "end" if at > WIDTH - _RIGHT - 20 else "middle"
    return (
        f'<text x="{at:.1f}" y="{_BOTTOM_LINE + 20}" text-anchor="{anchor}">{_plain(text)}</text>'
    )


def _power(value: int) -> int:
    """The least power of ten that is not below."""
    return len(str(max(value, 1) - 1)) if value > 1 else 0


def _round_up(value: float) -> float:
    """A round number that is not below: 1, 2 or 5 times a power of ten."""
    if value <= 0:
        return 1.0
    unit = 10.0 ** floor(log10(value))
    return next(factor * unit for factor in (1, 2, 5, 10) if factor * unit >= value)
