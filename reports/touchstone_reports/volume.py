"""The page of a verified history: verdicts, witnesses, statistics, plots; one file, no scripts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from touchstone_reports.appearance import SYMBOL, WORDS
from touchstone_reports.grid import KEYS
from touchstone_reports.plots import Series, Window, bars, distribution, plot_over_time
from touchstone_reports.templating import environment, sources
from touchstone_reports.verdicts import Verdict
from touchstone_reports.volume_results import VolumeResults, read_volume
from touchstone_reports.volume_values import COLUMNS, Words, duration, message, subscription

PAGE = "volume.html"
_NANOSECONDS = 1_000_000_000


def write_volume(report: Path, out: Path) -> Path:
    """Write the page of a report.json to the file `out`; ResultsError if it cannot be read."""
    page = render_volume(read_volume(report))
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(page, encoding="utf-8", newline="\n")
    return out


def render_volume(report: VolumeResults) -> str:
    """The page as text."""
    templates = environment()
    names = report["names"]
    statistics = report["statistics"]
    words = Words(statistics["throughput"]["start"], names)
    templates.filters |= {
        "amount": lambda value: f"{value:,}",
        "capitalize_first": lambda text: text[:1].upper() + text[1:],
        "duration": duration,
        "message": message,
        "sub": lambda number: subscription(number, names),
    }
    style = sources(templates, ("page.css", "volume.css"))
    return templates.get_template("volume.html.j2").render(
        report=report,
        statistics=statistics,
        style=Markup(style),  # noqa: S704  (our own file)
        states={str(verdict): _state(verdict) for verdict in Verdict},
        tally=Counter(check["verdict"] for check in report["checks"] if check["promised"]),
        witnesses=_witnesses(report["findings"]),
        plots=_plots(statistics, names),
        words=words,
        columns={name: column.title for name, column in COLUMNS.items()},
    )


def _state(verdict: Verdict) -> dict[str, str]:
    return {"key": KEYS[verdict], "symbol": SYMBOL[verdict], "words": WORDS[verdict]}


def _witnesses(findings: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    by_check: dict[str, list[Mapping[str, Any]]] = {}
    for finding in findings:
        by_check.setdefault(finding["check"], []).append(finding)
    return by_check


def _plots(
    statistics: Mapping[str, Any], names: Mapping[str, Mapping[str, str]]
) -> list[dict[str, Any]]:
    counted: Counter[int] = Counter()
    for row in statistics["delivery_counts"]:
        counted.update(dict(row["counts"]))
    plots = [
        _plot("Throughput", "messages a second", _throughput(statistics), ""),
        _plot(
            "How often messages were delivered",
            "messages by number of deliveries",
            bars(
                "Messages by number of deliveries",
                [(str(n), counted[n]) for n in sorted(counted)[:24]],
            ),
            _by_subscription(statistics["delivery_counts"], names),
        ),
        _plot(
            "Why messages were redelivered",
            "how the delivery before had been settled",
            bars(
                "Redeliveries by cause",
                [(name.lower(), count) for name, count in statistics["redelivery_causes"].items()],
            ),
            "",
        ),
    ]
    for key, title, about, say in (
        ("latency", "Latency", "from being available to the first delivery", duration),
        ("lateness", "Lateness of delayed messages", "after the time they were due", duration),
        ("reorder_distance", "Reorder distance", "messages out of order: how far behind", _amount),
        ("gaps", "Gaps", "lengths of runs of lost messages", _amount),
    ):
        histogram = statistics[key]
        if histogram["count"]:
            told = ", ".join(
                f"{_percent(probability)} {say(value)}"
                for probability, value in histogram["quantiles"].items()
            )
            plots.append(
                _plot(
                    title,
                    about,
                    distribution(title, [(low, n) for low, n in histogram["bins"]], say),
                    f"{histogram['count']:,} seen; {told}; most {say(histogram['max'])}",
                )
            )
    return plots


def _plot(title: str, about: str, svg: Markup, words: object) -> dict[str, Any]:
    return {"title": title, "about": about, "svg": svg, "words": words}


def _throughput(statistics: Mapping[str, Any]) -> Markup:
    throughput = statistics["throughput"]
    start, step = throughput["start"], throughput["step"]
    seconds = step / _NANOSECONDS
    windows = [
        Window(
            fault["kind"],
            (fault["begin"] - start) / step,
            (fault["end"] - start) / step if fault["end"] >= 0 else len(throughput["sends"]),
        )
        for fault in statistics["faults"]
    ]
    series = [
        Series(name, f"l-{name}", [value / seconds for value in throughput[name]])
        for name in ("sends", "deliveries", "redeliveries")
    ]
    return plot_over_time("Messages a second over time", series, windows, seconds, _amount)


def _by_subscription(
    rows: Sequence[Mapping[str, Any]], names: Mapping[str, Mapping[str, str]]
) -> list[dict[str, Any]]:
    return [
        {
            "sub": subscription(row["sub"], names),
            "priority": row["priority"],
            "counts": ", ".join(f"{many}x: {messages:,}" for many, messages in row["counts"]),
        }
        for row in rows
    ]


def _amount(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:.2g}"


def _percent(probability: str) -> str:
    return f"{float(probability) * 100:g} % up to"
