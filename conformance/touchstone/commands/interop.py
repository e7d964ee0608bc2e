"""Shows whether clients understand each other: each as producer and as consumer of each.

Every message of a corpus is sent once by each client and read by each; groups, delays, priorities,
selectors, dead letters and more are played by each pair. What a consumer saw is compared with what
was sent and what the documents make of it. `pulsar-client` is the plain client, without JMS.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from jms_brokers.machine.secrecy import hide_secrets
from touchstone.brokers.option import broker_settings, read_token
from touchstone.catalogue import load_library
from touchstone.catalogue.deviation_files import load_deviations
from touchstone.commands.output import add_json, console, print_json
from touchstone.interop.pairs import EVERYBODY, RAW_CLIENT
from touchstone.judging.options import check_reason
from touchstone.results.reporting import write_pairs
from touchstone.verdicts import ExitStatus, Verdict
from touchstone_reports.pairs_summary import print_pairs
from touchstone_reports.results import RunResults, read

if TYPE_CHECKING:
    from touchstone.interop.running import PairOutcome


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which clients, exchanges and broker."""
    parser.add_argument(
        "--client",
        action="append",
        default=[],
        metavar="NAME",
        help=f"a provider, or {RAW_CLIENT}; several times (default: {', '.join(EVERYBODY)})",
    )
    parser.add_argument(
        "--exchange", action="append", default=[], metavar="NAME", help="only this exchange"
    )
    parser.add_argument(
        "--broker",
        default="embedded",
        metavar="WHICH",
        help="embedded, embedded:VERSION, container or a URL",
    )
    parser.add_argument("--admin-url", metavar="URL", help="the admin URL of an external broker")
    parser.add_argument("--token-file", type=Path, metavar="FILE", help="a token to get in by")
    parser.add_argument("--tls-trust-certs", metavar="FILE", help="PEM file of an authority")
    parser.add_argument("--results-dir", type=Path, default=Path("results"), metavar="DIR")
    parser.add_argument(
        "--deviations", type=Path, action="append", default=[], metavar="FILE",
        help="a further file of known deviations",
    )  # fmt: skip
    parser.add_argument(
        "--allow-inconclusive", metavar="REASON", help="exit with 0 although pairs were not judged"
    )
    parser.add_argument("--offline", action="store_true", help="download nothing")
    add_json(parser)


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Judge all pairs and print the table."""
    from touchstone.interop import running  # brings a client of Pulsar

    check_reason(arguments.allow_inconclusive)
    library = load_library()
    wanted = running.PairRequest(
        clients=arguments.client or EVERYBODY,
        exchanges=arguments.exchange,
        results=arguments.results_dir,
        broker=broker_settings(
            arguments.broker,
            admin_url=arguments.admin_url,
            token=read_token(arguments.token_file) if arguments.token_file else None,
            trust_certificate=arguments.tls_trust_certs,
            offline=arguments.offline,
        ),
        options=_options(arguments),
        allow_inconclusive=hide_secrets(arguments.allow_inconclusive),
    )
    outcome = running.run(wanted, load_deviations(library, arguments.deviations))
    page = write_pairs(outcome.folder, library)
    results = read(outcome.folder)
    if arguments.json:
        print_json(_as_json(results, outcome))
        return outcome.status
    print_pairs(results, console(), page)
    return outcome.status


def _options(arguments: argparse.Namespace) -> Sequence[str]:
    """What a rerun has to say again of the broker."""
    told = {
        "--broker": arguments.broker if arguments.broker != "embedded" else None,
        "--admin-url": arguments.admin_url,
        "--token-file": arguments.token_file,
        "--tls-trust-certs": arguments.tls_trust_certs,
    }
    return hide_secrets([f"{name} {value}" for name, value in told.items() if value is not None])


def _as_json(results: RunResults, outcome: PairOutcome) -> dict[str, object]:
    pairs: dict[tuple[str, str], dict[str, int]] = {}
    for exchange in results.exchanges:
        counts = pairs.setdefault((exchange.producer, exchange.consumer), {})
        counts[exchange.verdict.value] = counts.get(exchange.verdict.value, 0) + 1
    return {
        "format": 1,
        "run": str(outcome.folder),
        "exit_status": int(outcome.status),
        "pairs": [
            {
                "producer": producer,
                "consumer": consumer,
                "counts": counts,
                "exchanges": [
                    exchange.as_dict()
                    for exchange in outcome.exchanges
                    if (exchange.producer, exchange.consumer) == (producer, consumer)
                    and exchange.verdict is not Verdict.CONFORMS
                ],
            }
            for (producer, consumer), counts in pairs.items()
        ],
        "stale": [str(entry) for entry in outcome.stale],
    }
