"""Judges each client on each broker that it can talk to, and shows all combinations in one table.

Every other option goes to the runs: --draw 25, -n 2, --area, … A client is spelled as for `run`,
such as starlight@7.0.15. A broker is FAMILY=embedded, FAMILY=embedded:VERSION, FAMILY=container,
FAMILY=image:NAME or FAMILY=URL; a client that can talk to none of them is judged on the embedded
one of its usual family, one spelled qpid+on:rabbitmq on brokers of that family alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from jms_brokers.machine.secrecy import hide_secrets, learn_url
from jms_brokers.shared.registry import family_names, images, locked_versions
from jms_clients.registry import Spelling, families_of, load_provider
from touchstone.brokers.option import broker_settings
from touchstone.catalogue import load_library
from touchstone.commands.output import console, print_table
from touchstone.commands.run import judge_into
from touchstone.errors import UsageError
from touchstone.results.reporting import write_reports
from touchstone.verdicts import ExitStatus, severest
from touchstone_reports.appearance import SYMBOL
from touchstone_reports.results import RunResults, read
from touchstone_reports.verdicts import Verdict

PASSES_ON = True

_IMAGE = "image:"
_TOGETHER = "matrix"


@dataclass(frozen=True)
class BrokerChoice:
    """A broker of one family: what `--broker` gets, and what its runs find in the environment."""

    family: str
    named: str
    option: str
    environment: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, text: str) -> BrokerChoice:
        """Returns the choice that `FAMILY=…` spells; raises UsageError and BrokerError."""
        learn_url(text)
        family, mark, named = text.partition("=")
        if not mark or family not in family_names() or not named:
            raise UsageError(
                f"--broker {hide_secrets(text)!r} names no family and broker",
                hint="FAMILY=embedded, FAMILY=embedded:VERSION, FAMILY=container, "
                f"FAMILY=image:NAME or FAMILY=URL; families are {', '.join(family_names())}.",
            )
        if not named.startswith(_IMAGE):
            broker_settings(named, family=family)
            return cls(family, hide_secrets(named), f"{family}={named}")
        image = named.removeprefix(_IMAGE)
        from jms_brokers.brokers import container_engine

        variable = images(family).variable
        container_engine.require_image(image)
        return cls(family, image, f"{family}=container", ((variable, image),))


@dataclass(frozen=True)
class MatrixCell:
    """A client on a broker."""

    client: str
    broker: BrokerChoice


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which clients and brokers, and where to."""
    parser.add_argument(
        "--client",
        action="append",
        required=True,
        metavar="NAME",
        help="a client in some version, as `run --provider` takes it; may be given several times",
    )
    parser.add_argument(
        "--broker",
        action="append",
        default=[],
        metavar="FAMILY=BROKER",
        help=f"embedded, embedded:VERSION ({locked_versions()}), container, image:NAME or a URL; "
        "may be given several times",
    )
    parser.add_argument("--results-dir", type=Path, default=Path("results"), metavar="DIR")


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Judge every combination and show them; the severest status counts."""
    chosen = combinations(
        dict.fromkeys(arguments.client), [BrokerChoice.of(text) for text in arguments.broker]
    )
    library = load_library()
    packages = [catalogue.package for catalogue in library.catalogues]
    made: dict[MatrixCell, Path] = {}
    statuses: dict[MatrixCell, ExitStatus] = {}
    for cell in chosen:
        console().print(
            f"\n{cell.client} on {cell.broker.family} {cell.broker.named}", markup=False
        )
        options = ["--broker", cell.broker.option, *arguments.rest]
        statuses[cell], folder = judge_into(
            arguments.results_dir, cell.client, packages, options, dict(cell.broker.environment)
        )
        if folder is not None:
            made[cell] = folder
    results = {cell: read(folder) for cell, folder in made.items()}
    print_table("", _HEAD, [_row(cell, results.get(cell), statuses[cell]) for cell in chosen])
    _print_differences(results)
    if made:
        out = arguments.results_dir / _TOGETHER
        out.mkdir(parents=True, exist_ok=True)
        page = write_reports(list(made.values()), library, out)
        console().print(f"\nReport  {page}", markup=False)
    return severest(statuses.values())


def combinations(clients: Mapping[str, None], brokers: Sequence[BrokerChoice]) -> list[MatrixCell]:
    """Returns each client with each broker that it can talk to, its usual one where there is none.

    Raises UsageError for a broker that no client can use, and ProviderError for unknown clients.
    """
    cells = []
    families = {client: families_of(load_provider(client)) for client in clients}
    known = {family for several in families.values() for family in several}
    for broker in brokers:
        if broker.family not in known:
            raise UsageError(
                f"No client can talk to a broker of the family {broker.family}",
                hint=f"The clients can talk to: {', '.join(sorted(known))}.",
            )
    for client, (usual, *others) in families.items():
        fitting = [broker for broker in brokers if broker.family in (usual, *others)]
        embedded = BrokerChoice(usual, "embedded", f"{usual}=embedded")
        for broker in dict.fromkeys(fitting) or [embedded]:
            other = None if broker.family == usual else broker.family
            spelled = replace(Spelling.parse(client), on=other) if other else client
            cells.append(MatrixCell(str(spelled), broker))
    return list(dict.fromkeys(cells))


COUNTS = (*(SYMBOL[each] for each in Verdict), "judged", "status")
"""What `counted` gives."""
_HEAD = ("client", "broker", *COUNTS)


def counted(results: RunResults | None, status: ExitStatus) -> Sequence[object]:
    """How many requirements a run of one client has of each verdict, and how it ended."""
    if results is None:
        return (*("-" for _ in Verdict), "-", status.name)
    counts = results.counts(results.run.providers[0].name)
    judged = counts.total() - counts[Verdict.NOT_APPLICABLE]
    return (*(counts[each] for each in Verdict), judged, status.name.lower().replace("_", " "))


def _row(cell: MatrixCell, results: RunResults | None, status: ExitStatus) -> Sequence[object]:
    if results is None:
        where = cell.client, f"{cell.broker.family} {cell.broker.named}"
    else:
        [provider] = results.run.providers
        where = f"{cell.client} ({provider.version})", _broker(cell, results)
    return *where, *counted(results, status)


def _broker(cell: MatrixCell, results: RunResults) -> str:
    versions = ", ".join(dict.fromkeys(each.version or "?" for each in results.run.brokers))
    return f"{cell.broker.family} {versions or '?'} ({cell.broker.named})"


def _print_differences(results: Mapping[MatrixCell, RunResults]) -> None:
    """What one client shows otherwise in another version or on another broker."""
    rows = []
    names: dict[str, list[MatrixCell]] = {}
    for cell in results:
        names.setdefault(Spelling.parse(cell.client).base, []).append(cell)
    for several in names.values():
        verdicts = {
            cell: results[cell].worst_by_requirement(results[cell].run.providers[0].name)
            for cell in several
        }
        for id_ in sorted({id_ for by_requirement in verdicts.values() for id_ in by_requirement}):
            seen = {cell: by_requirement.get(id_) for cell, by_requirement in verdicts.items()}
            known = {verdict for verdict in seen.values() if verdict is not None}
            if len(known) > 1:
                rows += [
                    (id_, cell.client, _broker(cell, results[cell]), str(verdict or "not judged"))
                    for cell, verdict in seen.items()
                ]
    if rows:
        print_table("what differs", ("requirement", "client", "broker", "verdict"), rows)
    else:
        console().print("No requirement is judged otherwise between versions.", markup=False)
