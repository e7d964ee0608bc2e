"""Writes the lock of a client in Java: a line for each of its jars, with its SHA-256 and size.

A client that is named GROUP:ARTIFACT:VERSION is resolved by Maven, which has to be installed; what
`mvn dependency:list -DoutputFile=FILE` wrote is taken as well. The jars are read from Maven's own
repository (~/.m2, or M2_REPO).

With --as PROVIDER the release is there for every later run of this user, as PROVIDER@VERSION.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from jms_clients.java.releases import Releases, add_release
from jms_clients.java.runtime import namespace_of
from jms_clients.registry import Spelling, load_provider
from jvm_runtime import locks
from jvm_runtime.download import repository_url
from jvm_runtime.fetch import local_maven_repository
from jvm_runtime.jvm_errors import JvmRuntimeError
from jvm_runtime.locking import lock_text
from jvm_runtime.resolving import list_jars
from touchstone.commands.output import console
from touchstone.errors import UsageError
from touchstone.verdicts import ExitStatus

_LIST = "maven-metadata.xml"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to lock."""
    parser.add_argument(
        "client",
        nargs="+",
        metavar="CLIENT",
        help="GROUP:ARTIFACT:VERSION of the client, and of jars that it needs besides; or the file"
        " that `mvn dependency:list` wrote",
    )
    parser.add_argument(
        "--as",
        dest="provider",
        metavar="PROVIDER",
        help="keep it as this provider's release, of the version of the first client",
    )


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Print the lock, or keep it; its lines are no table and are never folded."""
    resolved = ":" in arguments.client[0]
    if not resolved and (arguments.provider or len(arguments.client) > 1):
        raise UsageError(
            f"{arguments.client[0]} is no GROUP:ARTIFACT:VERSION",
            hint="A list that Maven wrote stands alone, and its lock is printed.",
        )
    try:
        if resolved:
            text = lock_of(arguments.client)
        else:
            listed = arguments.client[0]
            text = _titled(Path(listed).name, _read(listed))
    except JvmRuntimeError as error:
        raise UsageError(error.message, hint=error.hint) from error
    if arguments.provider is None:
        sys.stdout.write(text)
    else:
        version = arguments.client[0].rpartition(":")[2]
        path = add_release(arguments.provider, version, text)
        sys.stdout.write(f"{arguments.provider}@{version}: {path}\n")
    return ExitStatus.NOTHING_UNEXPECTED


def lock_of(clients: Sequence[str]) -> str:
    """The lock of these, each GROUP:ARTIFACT:VERSION, as Maven resolves them together.

    Raises JvmRuntimeError where it cannot, and ProviderError for jars of no client.
    """
    return _titled(" and ".join(clients), list_jars(clients))


def lock_missing(client: Spelling, versions: Sequence[str]) -> None:
    """Have a lock of each release; where Maven has none, the error says where they are listed."""
    releases = getattr(load_provider(str(client)), "releases", None)
    for version in versions:
        if releases is None or releases.folder is not None or version in releases.known:
            load_provider(str(replace(client, version=version)))
        else:
            console(stderr=True).print(f"locking {client.name} {version}", markup=False)
            _lock_release(releases, version)


def _lock_release(releases: Releases, version: str) -> None:
    coordinates = releases.coordinates(version)
    group, artifact, _ = coordinates.split(":")
    try:
        lock = lock_of([coordinates])
    except JvmRuntimeError as error:
        listed = f"{repository_url()}/{group.replace('.', '/')}/{artifact}/{_LIST}"
        locked = ", ".join(releases.known)
        raise type(error)(
            f"{releases.product} {version} cannot be had: {error.message}",
            hint=f"Its releases are listed by {listed}; locked are {locked}. {error.hint}",
        ) from error
    add_release(releases.provider, version, lock)


def _titled(title: str, listing: str) -> str:
    repository = local_maven_repository()
    text = lock_text(listing, repository)
    jars = [repository / jar.path for jar in locks.parse(text, title).jars]
    namespace = namespace_of(title, jars)
    return f"# {title}{f' ({namespace})' if namespace else ''}\n{text}"


def _read(listing: str) -> str:
    try:
        return Path(listing).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{listing} cannot be read: {error}",
            hint="Write it with `mvn dependency:list -DoutputFile=FILE`, or name the client as"
            " GROUP:ARTIFACT:VERSION.",
        ) from error
