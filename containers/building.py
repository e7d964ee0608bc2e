"""Builds images with the engine's command line, each only when its content is not there yet."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from containers.recipes import HERE, Image, System
from jms_brokers.errors import BrokerError
from jvm_runtime.cache import cache_folder

CONTENT = "touchstone.content"
"""The label that names what an image was made of."""
_MIRROR = "TOUCHSTONE_DEBIAN_MIRROR"
_BUILDER = {"DOCKER_BUILDKIT": "0"}  # some engines lack the newer builder


def build(what: System | Image) -> bool:
    """Make `what` and all below it; return False if it was there. Raises BrokerError."""
    if isinstance(what, Image):
        build(what.base)
    if content_of(what.tag) == what.content():
        return False
    _say(f"{what.tag} …")
    with tempfile.TemporaryDirectory(prefix="touchstone-image-") as folder:
        if isinstance(what, System):
            _import(what, Path(folder))
        else:
            _build(what, Path(folder) / "context")
    return True


def content_of(tag: str) -> str | None:
    """Return the content that the image `tag` was made of; None where there is no such image."""
    done = _engine(
        "image",
        "inspect",
        "--format",
        f'{{{{index .Config.Labels "{CONTENT}"}}}}',
        tag,
        check=False,
    )
    return done.stdout.strip() if done.returncode == 0 else None


def _build(image: Image, context: Path) -> None:
    shutil.copytree(HERE / image.folder, context)
    image.assemble(context)
    arguments = {"BASE": image.base.tag, **image.arguments}
    _engine(
        *("build", "--quiet", "--tag", image.tag, "--label", f"{CONTENT}={image.content()}"),
        *(word for key, value in arguments.items() for word in ("--build-arg", f"{key}={value}")),
        str(context),
    )


def _import(system: System, folder: Path) -> None:
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        raise BrokerError(
            f"{system.tag} cannot be made: debootstrap is not installed, or this is not root",
            hint="`apt-get install debootstrap` and run as root; or name images that can be "
            "pulled with TOUCHSTONE_PULSAR_IMAGE and its like",
        )
    root = folder / "root"
    packages = cache_folder() / "debian" / system.suite
    packages.mkdir(parents=True, exist_ok=True)
    _run(
        *("debootstrap", "--variant=minbase", f"--cache-dir={packages}"),
        *(f"--include={','.join(system.packages)}", system.suite, str(root)),
        *filter(None, [os.environ.get(_MIRROR)]),
    )
    for unwanted in ("var/lib/apt/lists", "usr/share/doc", "usr/share/man", "usr/share/locale"):
        shutil.rmtree(root / unwanted, ignore_errors=True)
    for package in (root / "var/cache/apt/archives").glob("*.deb"):
        package.unlink()
    with subprocess.Popen(["tar", "-C", root, "-c", "."], stdout=subprocess.PIPE) as packing:
        _engine(
            *("import", "--change", "ENV LANG=C.UTF-8"),
            *("--change", f"LABEL {CONTENT}={system.content()}", "-", system.tag),
            stdin=packing.stdout,
        )
    if packing.returncode:
        raise BrokerError(f"{system.tag} could not be packed", hint="Is there space on the disk?")


def _engine(
    *words: str, check: bool = True, stdin: IO[bytes] | None = None
) -> subprocess.CompletedProcess[str]:
    if shutil.which("docker") is None:
        raise BrokerError(
            "There is no command `docker`", hint="`containers/engine start` gets it from Debian"
        )
    return _run("docker", *words, check=check, stdin=stdin)


def _run(
    *command: str, check: bool = True, stdin: IO[bytes] | None = None
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        command,
        stdin=stdin or subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        env={**os.environ, **_BUILDER},
    )
    if check and done.returncode:
        tail = "\n".join(done.stdout.splitlines()[-15:])
        raise BrokerError(
            f"`{' '.join(command[:3])} …` ended with {done.returncode}:\n{tail}",
            hint="Is there space on the disk, does `docker info` work, is the package mirror there "
            f"({_MIRROR} names another)?",
        )
    return done


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def build_all(images: Sequence[Image]) -> None:
    """Make `images`; print each tag and whether it was there."""
    for image in images:
        made = build(image)
        print(f"{image.tag}\t{'made' if made else 'was there'}", flush=True)
