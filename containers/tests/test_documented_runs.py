"""The lines of docs/installing.md that judge in the image, run as they stand there."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from containers import building
from containers.recipes import ROOT, recipes
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.families.pulsar.product import LOCKED as PULSAR
from jms_brokers.shared.registry import broker_for
from jvm_runtime import fetch, locks
from jvm_runtime.cache import cache_folder
from touchstone.brokers.option import broker_settings

DOCUMENT = (ROOT / "docs" / "installing.md").read_text("utf-8")
LINES: dict[str, str] = {
    "embedded" if "--broker" not in block else "own": block
    for block in re.findall(r"(?ms)^```sh\n(.*?)^```", DOCUMENT)
    if "docker run" in block
}
OWN = ("pulsar://127.0.0.1:6650", "http://127.0.0.1:8080")
"""What the document's reader has."""
READER = 10234
"""Neither root nor the image's own user, and nobody whom the image knows."""
WITHIN = 600


@pytest.fixture(scope="module", autouse=True)
def image() -> str:
    """The tag of the image, which is made where it is not there."""
    made = recipes()["touchstone"]
    building.build(made)
    return made.tag


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The reader's folder, and an `id` that tells who reads."""
    for name in ("cache", "results"):
        (tmp_path / name).mkdir()
        os.chown(tmp_path / name, READER, READER)
    told = tmp_path / "bin" / "id"
    told.parent.mkdir()
    told.write_text(f"#!/bin/sh\necho {READER}\n")
    told.chmod(0o755)
    return tmp_path


@pytest.fixture
def own_broker() -> Iterator[BrokerAddress]:
    """A Pulsar that runs on this machine."""
    broker = broker_for(broker_settings("embedded"))
    try:
        yield broker.start()
    finally:
        broker.stop()


def judged(script: str, home: Path) -> dict[str, object]:
    """The verdict of a scenario by a line of the document; what it writes is the reader's."""
    one = "properties/test_int_is_decimal_text[1234]"
    done = subprocess.run(
        ["bash", "-euc", f"{script.rstrip()} --scenario '{one}'"],
        cwd=home,
        env={**os.environ, "PATH": f"{home / 'bin'}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=WITHIN,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    [report] = home.glob("results/*/report.html")
    files = [report, *report.parent.iterdir(), *(home / "cache").iterdir()]
    assert {(each.stat().st_uid, each.stat().st_gid) for each in files} == {(READER, READER)}
    [line] = (report.parent / "verdicts.jsonl").read_text("utf-8").splitlines()
    verdict: dict[str, object] = json.loads(line)
    return verdict


def test_the_document_has_both_lines_with_the_image_that_is_made(image: str) -> None:
    assert sorted(LINES) == ["embedded", "own"]
    assert all(f" {image} " in line for line in LINES.values())


def test_the_line_for_a_broker_of_ones_own_judges_on_it(
    home: Path, own_broker: BrokerAddress
) -> None:
    line = LINES["own"]
    for documented, real in zip(OWN, (own_broker.service_url, own_broker.admin_url), strict=True):
        assert documented in line
        line = line.replace(documented, real)

    assert judged(line, home)["verdict"] == "CONFORMS"


def test_the_line_for_the_embedded_broker_starts_one_in_the_container(home: Path) -> None:
    programs = (PULSAR.lock(), "starlight-filter")
    for program in programs:
        fetch.fetch(locks.load(program))
        for jar in locks.load(program).jars:
            copy = home / "cache" / "jars" / jar.path
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(cache_folder() / "jars" / jar.path, copy)
    subprocess.run(["chown", "-R", f"{READER}:{READER}", home / "cache"], check=True)

    assert judged(LINES["embedded"], home)["verdict"] == "CONFORMS"
