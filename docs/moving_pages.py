"""The pages on moving from one client to another: what is lost, what is gained, the worst first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby, permutations

from plain_texts import in_lines, row, table, text
from touchstone.catalogue import Library
from touchstone.catalogue.deviations import Deviation
from touchstone.catalogue.findings import Finding
from touchstone.catalogue.moving import Move, compare, count_statements

Moves = Mapping[tuple[str, str], Move]
"""By the client that is left, and the one that comes."""


def between_all(known: Mapping[str, Sequence[Deviation]]) -> Moves:
    """A move from each client to each other one; `known` are the deviations of each."""
    return {(old, new): compare(known[old], known[new]) for old, new in permutations(known, 2)}


def name_of(old: str, new: str) -> str:
    """The name of a page, without the suffix."""
    return f"{old}-to-{new}"


def overview(moves: Moves) -> str:
    """The page that leads to the moves."""
    clients = list(dict.fromkeys(old for old, _ in moves))
    lines = [
        "# Moving from one client to another",
        "",
        "How many statements of JMS and of its API the new client does not keep that the old one "
        "keeps, or breaks less badly, and how many the other way round, by the known deviations "
        "of both. `touchstone moving --from NAME --to NAME` prints the same, also of other "
        "versions and on other brokers.",
        "",
        *table("from \\ to", *clients),
    ]
    for old in clients:
        cells = ("" if old == new else _counts(old, new, moves[old, new]) for new in clients)
        lines.append(row(f"**{text(old)}**", *cells))
    return "\n".join([*lines, ""])


def page(old: str, new: str, move: Move, library: Library) -> str:
    """The Markdown of one move."""
    areas = {id_: requirement.area for id_, requirement in library.requirements.items()}
    back = f"[The way back]({name_of(new, old)}.md)."
    lines = [
        "---",
        "search:",
        "  exclude: true",
        "---",
        "",
        f"# From {text(old)} to {text(new)}",
        "",
        "[What this is made of](../reproduce.md#moving-from-one-client-to-another). " + back,
        *_section("Lost", f"What {new} does not keep", move.lost, areas),
        *_section("Gained", f"What {old} does not keep", move.gained, areas),
        "",
        "## As before",
        "",
        "Both do not keep these, with the same effect: "
        + (", ".join(_link(id_, areas) for id_ in move.as_before) or "none")
        + ".",
    ]
    return "\n".join([*lines, ""])


def _section(
    title: str, what: str, reasons: Sequence[Finding], areas: Mapping[str, str]
) -> Iterable[str]:
    yield from ("", f"## {title}", "", text(f"{what}: {count_statements(reasons)} statements."))
    for effect, group in groupby(reasons, lambda one: one.effect):
        yield from ("", f"### {(effect or 'no defect').capitalize()}", "")
        yield from table("what the client does", "statements")
        for reason in group:
            links = in_lines(_link(id_, areas) for id_ in reason.requirements)
            yield row(in_lines(_told(reason)), links)


def _told(reason: Finding) -> Iterable[str]:
    yield text(reason.reason)
    if reason.effect is None:
        yield f"*{text(reason.kind)}*"
    if reason.options:
        yield f"*kept with: {text(', '.join(reason.options))}*"


def _link(id_: str, areas: Mapping[str, str]) -> str:
    return f"[{text(id_)}](../areas/{areas[id_]}.md#{id_.lower()})"


def _counts(old: str, new: str, move: Move) -> str:
    lost, gained = count_statements(move.lost), count_statements(move.gained)
    return f"[{lost} lost, {gained} gained]({name_of(old, new)}.md)"
