"""What each image is made of, as data, and the name of its content.

A `System` is a Debian of its own, made by debootstrap. An `Image` is a Dockerfile of this folder
upon another recipe, with files that are got on this machine: nothing is fetched inside a build.
"""

from __future__ import annotations

import hashlib
import shutil
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from containers import sbom, wheels
from containers.sbom import CLIENTS
from jms_brokers.families.artemis.configuration import broker_xml
from jms_brokers.families.artemis.product import LOCKED as ARTEMIS
from jms_brokers.families.pulsar.product import LOCKED as PULSAR
from jvm_runtime import fetch, locks, progress

HERE = Path(__file__).parent
ROOT = HERE.parent
SOURCES = (
    "impl/jmsapi",
    "impl/jvm_runtime",
    "impl/pulsar_jms",
    "conformance/jms_brokers",
    "conformance/jms_histories",
    "conformance/jms_model",
    "conformance/jms_clients",
    "conformance/touchstone",
    "scenarios",
    "reports/touchstone_reports",
)
_FILES = (
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "impl/pyproject.toml",
    "impl/README.md",
    "impl/LICENSE",
    "locks/image.txt",
)


@dataclass(frozen=True)
class System:
    """A minimal Debian `suite` with `packages`; `script` is debootstrap's, if not the suite's."""

    tag: str
    suite: str
    packages: tuple[str, ...]

    def content(self) -> str:
        """Return the name of what it is made of (64 hex digits)."""
        return _digest(self.suite, *self.packages)


Assembling = Callable[[Path], None]
"""Puts files into the folder of a build."""


@dataclass(frozen=True)
class Image:
    """The Dockerfile in `folder` upon `base`; `assemble` adds the files that `parts` name."""

    tag: str
    folder: str
    base: System | Image
    parts: tuple[str, ...]
    """What else decides the content, such as the digests of jars."""
    assemble: Assembling
    arguments: Mapping[str, str] = field(default_factory=dict)

    def content(self) -> str:
        """Return the name of what it is made of (64 hex digits)."""
        folder = HERE / self.folder
        files = [
            f"{file.relative_to(folder)} {file.stat().st_mode & 0o777:o} {file_digest(file)}"
            for file in sorted(folder.rglob("*"))
            if file.is_file()
        ]
        return _digest(self.base.content(), *files, *self.parts)


def file_digest(file: Path) -> str:
    """Return the SHA-256 of a file (hex)."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _jars(program: str) -> tuple[tuple[str, ...], Assembling]:
    """Return the digests of a lock's jars, and what puts them into the folder `lib`."""
    lock = locks.load(program)

    def assemble(folder: Path) -> None:
        (folder / "lib").mkdir()
        for jar in fetch.fetch(lock, progress=progress.on_stderr):
            shutil.copyfile(jar, folder / "lib" / jar.name)

    return tuple(jar.sha256 for jar in lock.jars), assemble


def version_of(program: str, group: str, artifact: str) -> str:
    """Return the version of one jar in a lock."""
    jars = locks.load(program).jars
    return next(jar.version for jar in jars if (jar.group, jar.artifact) == (group, artifact))


def _pulsar(base: System) -> Image:
    program = PULSAR.lock()
    version = version_of(program, "org.apache.pulsar", "pulsar-broker")
    digests, assemble = _jars(program)
    return Image(f"touchstone/pulsar:{version}", "pulsar", base, digests, assemble)


def _artemis(base: System, program: str) -> Image:
    version = version_of(program, "org.apache.artemis", "artemis-server")
    digests, with_jars = _jars(program)
    everywhere = "0.0.0.0"
    xml = broker_xml("touchstone", "/var/lib/artemis-instance/data", everywhere, 5672)

    def assemble(folder: Path) -> None:
        with_jars(folder)
        (folder / "broker.xml").write_text(xml, encoding="utf-8")

    return Image(f"touchstone/artemis:{version}", "artemis", base, (*digests, xml), assemble)


def _rabbitmq(version: str, suite: str) -> Image:
    base = System(f"touchstone/rabbitmq-base:{suite}", suite, ("rabbitmq-server",))
    return Image(f"touchstone/rabbitmq:{version}", "rabbitmq", base, (), lambda folder: None)


def _touchstone(base: System) -> Image:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    jars = [jar for program in CLIENTS for jar in locks.load(program).jars]
    files = [ROOT / name for name in _FILES]
    for source in SOURCES:
        files_below = sorted(file for file in (ROOT / source).rglob("*") if file.is_file())
        files += [file for file in files_below if "__pycache__" not in file.parts]
    parts = [f"{file.relative_to(ROOT)} {file_digest(file)}" for file in files]

    def assemble(folder: Path) -> None:
        for file in files:
            copy = folder / file.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)
        given = folder / "containers" / "touchstone"
        (given / "wheels").mkdir(parents=True)
        (given / "jars").mkdir()
        for program in CLIENTS:
            lock = locks.load(program)
            for jar, path in zip(lock.jars, fetch.fetch(lock), strict=True):
                copy = given / "jars" / jar.path
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, copy)
        wheels.make(ROOT / "locks" / "image.txt", given / "wheels")
        sbom.write(sbom.of_image(), given / "sbom" / "image.cdx.json")

    digests = sorted({jar.sha256 for jar in jars})
    return Image(
        f"touchstone/touchstone:{version}", "touchstone", base, (*parts, *digests), assemble
    )


JAVA = System(
    "touchstone/base:bookworm",
    "bookworm",
    ("ca-certificates", "curl", "openjdk-17-jre-headless", "procps", "python3", "python3-venv"),
)


def recipes() -> Mapping[str, Image]:
    """Return the images there are by the names that `make images` takes."""
    return MappingProxyType(
        {
            "pulsar": _pulsar(JAVA),
            "artemis": _artemis(JAVA, ARTEMIS.lock()),
            "artemis-2.50": _artemis(JAVA, ARTEMIS.lock("2.50.0")),
            "rabbitmq": _rabbitmq("3.10", "bookworm"),
            "rabbitmq-4.0": _rabbitmq("4.0", "trixie"),
            "touchstone": _touchstone(JAVA),
        }
    )
