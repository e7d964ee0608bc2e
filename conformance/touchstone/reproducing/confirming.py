"""Compiles a reproducer, and runs it in a JVM of its own against a broker that is started here."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Final, Self
from urllib.parse import urlsplit

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.machine.secrecy import hide_secrets
from jms_brokers.shared.registry import broker_for, family_named, probe_for
from jms_brokers.shared.settings import BrokerSettings
from jvm_runtime.launch import clean_environment, temporary_files_in
from touchstone.catalogue.confirmations import ConfirmationOutcome
from touchstone.reproducing.folder import SOURCE
from touchstone.reproducing.java_helpers import DIFFERS, ENDED_EARLY
from touchstone.reproducing.java_program import NAME
from touchstone.reproducing.program_java import USUAL, ProgramJava
from touchstone.reproducing.recording import NotExpressible

_RUN_WITHIN: Final = 180.0
_NEWER: Final = ("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow")


@dataclass(frozen=True)
class Shown:
    """The end of a program: whether it showed the difference, and what it printed."""

    outcome: ConfirmationOutcome
    told: str

    @property
    def differs(self) -> bool:
        """Whether a call that decides did something else, rather than none being reached."""
        return DIFFERS in self.told

    @property
    def ended_early(self) -> bool:
        """Whether a call threw that was to come back: behind a fault it may do the one or other."""
        return ENDED_EARLY in self.told


class Grounds:
    """The brokers on which programs are run, each started when it is first needed."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._addresses: dict[tuple[str, str, str], BrokerAddress] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def address(self, broker: Mapping[str, str]) -> BrokerAddress:
        """Where a broker such as that of a run is, as a client of it is told."""
        key = family, version, profile = broker["family"], broker["version"], broker["profile"]
        if key not in self._addresses:
            locked = family_named(family).locked
            chosen = version if locked is not None and version in locked.known else ""
            started = broker_for(BrokerSettings(family=family, version=chosen), profile)
            self._stack.enter_context(started)
            probe = probe_for(started.address, "touchstone/reproduce")
            self._stack.callback(probe.close)
            self._addresses[key] = probe.client_address(started.address)
        return self._addresses[key]


def confirm(
    folder: Path,
    jars: Sequence[Path],
    address: BrokerAddress,
    java: ProgramJava = USUAL,
    within: float = _RUN_WITHIN,
) -> Shown:
    """Compile the program in `folder` and run it on the broker at `address`, `within` seconds.

    JvmRuntimeError where its Java cannot be had.
    """
    with TemporaryDirectory(prefix="touchstone-reproduce-") as made:
        classes = Path(made)
        compile_program(folder / SOURCE, jars, classes, java)
        url = urlsplit(address.service_url)
        runtime = java.runtime
        command = [
            *(str(runtime.java), *(_NEWER if runtime.major >= 24 else ())),
            *("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
            *temporary_files_in(classes),
            *("-cp", os.pathsep.join(map(str, (classes, *jars))), NAME),
            *(url.hostname or "", str(url.port)),
            *([str(address.admin_port)] if address.admin_url else []),
        ]
        variables = clean_environment(os.environ) | {"BROKER_PASSWORD": address.password or ""}
        try:
            done = subprocess.run(  # noqa: S603 - the program is ours
                command, env=variables, capture_output=True, text=True, timeout=within
            )
        except subprocess.TimeoutExpired:
            return Shown(ConfirmationOutcome.NOT_CONFIRMED, f"It did not end in {within:g} s")
    lines = done.stdout.strip().splitlines()
    shown = "SEEN" in lines and done.returncode == 0  # listeners may still print behind it
    outcome = ConfirmationOutcome.CONFIRMED if shown else ConfirmationOutcome.NOT_CONFIRMED
    return Shown(outcome, hide_secrets(done.stdout if lines else done.stderr))


def compile_program(
    source: Path, jars: Sequence[Path], classes: Path, java: ProgramJava = USUAL
) -> None:
    """Compile one file; HarnessError where there is no compiler, NotExpressible for no Java."""
    command = [
        *(
            java.compiler,
            "-J-XX:TieredStopAtLevel=1",
            "-J-XX:+UseSerialGC",
            "-nowarn",
            "-encoding",
            "UTF-8",
            "--release",
            str(java.oldest),
            "-d",
            str(classes),
        ),
        *("-cp", os.pathsep.join(map(str, jars)), str(source)),
    ]
    done = subprocess.run(command, capture_output=True, text=True)  # noqa: S603 - ours
    if done.returncode:
        told = done.stderr.replace(f"{source}:", "line ").strip()
        raise NotExpressible(f"its program does not compile: {told}")
