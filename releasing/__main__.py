"""`python -m releasing`: builds a release into a folder, tries it out, sums it up, signs it.

    packages/    a source archive and a wheel of each distribution
    sbom/        what wheel and image bring along
    SHA256SUMS   the digests of all these, for `sha256sum --check`

Nothing is uploaded. Without `--tag` it is a rehearsal of the checkout as it is.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

from containers import sbom
from releasing.agreement import disagreements
from releasing.distributions import FOLDERS, ROOT, SUMS, build, metadata, sign, sums
from releasing.trial import environment, failures

UPLOAD = "UV_PUBLISH_TOKEN=… .venv/bin/uv publish {}/packages/*"


def versions() -> dict[str, str]:
    """The versions of the distributions, by the files that state them."""
    files = [folder / "pyproject.toml" for folder in FOLDERS]
    return {
        str(file.relative_to(ROOT)): tomllib.loads(file.read_text("utf-8"))["project"]["version"]
        for file in files
    }


def not_the_tag(tag: str) -> list[str]:
    """What makes the checkout another one than the tag names."""

    def git(*words: str) -> str:
        done = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True)
        return done.stdout.strip()

    changed = git("status", "--porcelain")
    same = git("rev-parse", f"{tag}^{{commit}}") == git("rev-parse", "HEAD")
    return [
        *([] if same else [f"{tag} is not the commit that is checked out"]),
        *([f"There are changes that no commit has:\n{changed}"] if changed else []),
    ]


def make(out: Path, key: Path | None) -> list[str]:
    """Make all of a release in `out`, anew; what is wrong with it."""
    packages, bills = out / "packages", out / "sbom"
    (out / f"{SUMS}.sig").unlink(missing_ok=True)
    for folder in (packages, bills):
        shutil.rmtree(folder, ignore_errors=True)
    made = build(packages)
    version = next(iter(versions().values()))
    wrong = []
    for each in made:
        try:
            told = metadata(each)
        except ExceptionGroup as refused:
            wrong += [f"{each.name}: {one}" for one in refused.exceptions]
            continue
        if str(told.version) != version:
            wrong.append(f"{each.name} says that it is {told.version}")
    sbom.main(bills)
    with tempfile.TemporaryDirectory(prefix="touchstone-release-") as temporary:
        wheels = [each for each in made if each.suffix == ".whl"]
        programs = environment(Path(temporary) / "venv", wheels)
        wrong += failures(programs, version, Path(temporary))
    listed = out / SUMS
    listed.write_text(sums([*packages.iterdir(), *bills.iterdir()], out))
    if key is not None:
        sign(listed, key)
    return wrong


def main(words: Sequence[str]) -> int:
    """Make a release; 0, or 1 with what is wrong."""
    parser = argparse.ArgumentParser(prog="python -m releasing", description=__doc__)
    parser.add_argument("--tag", help="the tag that is released, such as v0.1.0")
    parser.add_argument("--key", type=Path, help="a private key of SSH that signs SHA256SUMS")
    parser.add_argument("--out", type=Path, default=Path("dist"), help="made anew (default: dist)")
    chosen = parser.parse_args(words)
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    wrong = [*disagreements(versions(), changelog, chosen.tag)]
    wrong += not_the_tag(chosen.tag) if chosen.tag else []
    try:
        wrong = wrong or make(chosen.out, chosen.key)
    except subprocess.CalledProcessError as error:
        wrong = [str(error)]
    for each in wrong:
        print(f"No release: {each}", file=sys.stderr)
    if not wrong:
        print((chosen.out / SUMS).read_text(), end="")
        print(f"Tried out; nothing is uploaded yet. With a token: {UPLOAD.format(chosen.out)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
