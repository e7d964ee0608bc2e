"""Prints the lock of a client in Java from what `mvn dependency:list` wrote: a line for each jar,
with its SHA-256 and size. The jars are read from Maven's own repository (~/.m2, or M2_REPO).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from jvm_runtime.fetch import local_maven_repository
from jvm_runtime.locking import lock_text
from touchstone.errors import UsageError
from touchstone.verdicts import ExitStatus


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to lock."""
    parser.add_argument(
        "listing",
        type=Path,
        metavar="FILE",
        help="what `mvn dependency:list -DoutputFile=FILE` wrote",
    )


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Print the lock; its lines are no table and are never folded."""
    try:
        listing = arguments.listing.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{arguments.listing} cannot be read: {error}",
            hint="Write it with `mvn dependency:list -DoutputFile=FILE`.",
        ) from error
    sys.stdout.write(lock_text(listing, local_maven_repository()))
    return ExitStatus.NOTHING_UNEXPECTED
