"""Source archives and wheels: built, read as an index reads them, summed up and signed."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

from packaging.metadata import Metadata

ROOT = Path(__file__).parents[1]
FOLDERS = (ROOT / "impl", ROOT)
"""What distributions are made of, each after what it needs."""
SUMS = "SHA256SUMS"


def build(folder: Path) -> list[Path]:
    """The source archives and the wheels made of these, in `folder`; CalledProcessError."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder)]
    for source in FOLDERS:
        subprocess.run([*command, str(source)], check=True, stdout=subprocess.PIPE)
    return sorted(folder.iterdir())


def metadata(distribution: Path) -> Metadata:
    """What a wheel or a source archive says of itself; ExceptionGroup where an index refuses it."""
    if distribution.suffix == ".whl":
        with zipfile.ZipFile(distribution) as wheel:
            [name] = [each for each in wheel.namelist() if each.endswith(".dist-info/METADATA")]
            text = wheel.read(name)
    else:
        with tarfile.open(distribution) as archive:
            root = distribution.name.removesuffix(".tar.gz")
            member = archive.extractfile(f"{root}/PKG-INFO")
            assert member is not None
            text = member.read()
    return Metadata.from_email(text, validate=True)


def sums(files: Iterable[Path], root: Path) -> str:
    """The SHA-256 of files below `root` as `sha256sum --check` reads them there."""
    return "".join(
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.relative_to(root)}\n"
        for file in sorted(files)
    )


def sign(file: Path, key: Path) -> Path:
    """The signature of a file by a key of SSH, beside it; CalledProcessError.

    `ssh-keygen -Y verify -n file` verifies it.
    """
    command = ["ssh-keygen", "-Y", "sign", "-q", "-n", "file", "-f", str(key), str(file)]
    subprocess.run(command, check=True)
    return file.with_name(f"{file.name}.sig")
