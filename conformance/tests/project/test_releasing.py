"""A release is refused when its parts disagree; the workflow uploads what the script has made."""

from __future__ import annotations

import base64
import os
import re
import subprocess
import sys
import threading
import tomllib
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
import yaml

from releasing import __main__ as releasing
from releasing import distributions, trial
from releasing.agreement import disagreements

ROOT = Path(__file__).parents[3]
WORKFLOW = ROOT / ".github" / "workflows" / "release.yml"
VERSIONS = {"pyproject.toml": "1.2.0", "impl/pyproject.toml": "1.2.0"}
CHANGELOG = """\
# Changelog

## [Unreleased]

## [1.2.0] - 2026-12-01
### Added
- One thing.

## [1.1.0] - 2026-11-01
- Another.
"""


@pytest.mark.parametrize("tag", ["v1.2.0", None])
def test_a_release_whose_parts_agree_is_made(tag: str | None) -> None:
    assert list(disagreements(VERSIONS, CHANGELOG, tag)) == []


@pytest.mark.parametrize(
    ("versions", "changelog", "tag", "told"),
    [
        (VERSIONS, CHANGELOG, "v1.2.1", "The tag is v1.2.1"),
        (VERSIONS, CHANGELOG, "1.2.0", "asks for v1.2.0"),
        ({**VERSIONS, "impl/pyproject.toml": "1.1.0"}, CHANGELOG, None, "has the version 1.1.0"),
        (VERSIONS, CHANGELOG.replace("[1.2.0]", "[1.2]"), "v1.2.0", "no section [1.2.0]"),
        (VERSIONS, CHANGELOG.replace(" - 2026-12-01", ""), "v1.2.0", "has no date"),
        (VERSIONS, CHANGELOG.replace("### Added\n- One thing.\n", ""), "v1.2.0", "with a text"),
        (VERSIONS, CHANGELOG.replace("sed]\n", "sed]\n- New.\n"), "v1.2.0", "is not empty"),
        ({"pyproject.toml": "2.0"}, CHANGELOG, None, "no section [Unreleased]"),
    ],
)
def test_what_does_not_agree_is_named(
    versions: dict[str, str], changelog: str, tag: str | None, told: str
) -> None:
    [found] = disagreements(versions, changelog, tag)

    assert told in found


def test_this_checkout_may_be_rehearsed() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")

    assert list(disagreements(releasing.versions(), changelog, None)) == []


def test_a_tag_that_is_not_this_commit_makes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert releasing.main(["--tag", "v0.0.1", "--out", str(tmp_path / "dist")]) == 1

    assert "v0.0.1 is not the commit that is checked out" in capsys.readouterr().err
    assert not (tmp_path / "dist").exists()


def a_wheel(folder: Path, metadata: str) -> Path:
    file = folder / "one-1.0-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as wheel:
        wheel.writestr("one-1.0.dist-info/METADATA", metadata)
    return file


@pytest.mark.parametrize(
    "wrong", ["", "License-Expression: Mine\n", "Home: x\n", "Requires-Python: new\n"]
)
def test_metadata_that_an_index_refuses_are_refused(tmp_path: Path, wrong: str) -> None:
    head = "Metadata-Version: 2.4\nName: one\n"
    good = f"{head}Version: 1.0\n"
    assert str(distributions.metadata(a_wheel(tmp_path, good)).version) == "1.0"

    with pytest.raises(ExceptionGroup):
        distributions.metadata(a_wheel(tmp_path, good + wrong if wrong else head))


@pytest.mark.parametrize("folder", distributions.FOLDERS, ids=lambda path: path.name)
def test_a_distribution_names_its_makers_and_no_address_that_is_not_there(folder: Path) -> None:
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]

    assert project["authors"] == [{"name": "The Touchstone maintainers"}]
    assert "urls" not in project, "an address has to exist: then this test may know it"


def test_sums_notice_a_changed_file(tmp_path: Path) -> None:
    file = tmp_path / "packages" / "one.whl"
    file.parent.mkdir()
    file.write_text("one")
    (tmp_path / "SHA256SUMS").write_text(distributions.sums([file], tmp_path))
    check = ["sha256sum", "--check", "--strict", "SHA256SUMS"]

    assert subprocess.run(check, cwd=tmp_path, check=False, capture_output=True).returncode == 0
    file.write_text("other")
    assert subprocess.run(check, cwd=tmp_path, check=False, capture_output=True).returncode == 1


def test_a_key_signs_the_sums(tmp_path: Path) -> None:
    key, file = tmp_path / "key", tmp_path / "SHA256SUMS"
    make = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "maintainers", "-f", str(key)]
    subprocess.run(make, check=True)
    file.write_text("sums\n")
    (tmp_path / "signers").write_text(f"maintainers {key.with_suffix('.pub').read_text()}")

    signature = distributions.sign(file, key)

    verify = ["ssh-keygen", "-Y", "verify", "-f", str(tmp_path / "signers"), "-I", "maintainers"]
    verify += ["-n", "file", "-s", str(signature)]
    for text, status in ((b"sums\n", 0), (b"others\n", 255)):
        done = subprocess.run(verify, input=text, capture_output=True, check=False)
        assert done.returncode == status, done


@pytest.mark.parametrize(
    ("version", "status", "told"),
    [("1.0", 0, []), ("1.0", 3, ["`touchstone "]), ("0.9", 0, ["It says it is 0.9, not 1.0"])],
)
def test_what_does_not_work_is_told_with_what_was_said(
    tmp_path: Path, version: str, status: int, told: list[str]
) -> None:
    program = tmp_path / "touchstone"
    program.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo {version} || exit {status}\n')
    program.chmod(0o755)

    found = trial.failures(tmp_path, "1.0", tmp_path)

    assert len(found) == (len(trial.TRIED) if status else len(told))
    assert all(each.startswith(tuple(told)) for each in found)


class Index(HTTPServer):
    """An index of this machine: it takes what is uploaded and keeps the names."""

    def __init__(self) -> None:
        self.taken: dict[str, str] = {}
        super().__init__(("127.0.0.1", 0), _Upload)


class _Upload(BaseHTTPRequestHandler):
    server: Index

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        [name] = re.findall(rb'filename="([^"]+)"', body)
        self.server.taken[name.decode()] = self.headers["Authorization"]
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing is told."""


@pytest.fixture
def index() -> Iterator[Index]:
    with Index() as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        yield server
        server.shutdown()
        serving.join()


def test_the_line_that_is_told_uploads_all_packages_by_the_token(
    index: Index, tmp_path: Path
) -> None:
    built = distributions.build(tmp_path / "packages")
    line = releasing.UPLOAD.format(tmp_path).replace("…", "secret")
    line = line.replace(".venv/bin/", f"{Path(sys.executable).parent}/")
    told = {"UV_PUBLISH_URL": f"http://127.0.0.1:{index.server_port}/legacy/"}

    done = subprocess.run(
        ["bash", "-c", line],
        env={**os.environ, **told},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert sorted(index.taken) == [each.name for each in built]
    login = base64.b64encode(b"__token__:secret").decode()
    assert set(index.taken.values()) == {f"Basic {login}"}


def test_the_workflow_calls_the_script_and_uploads_what_it_made() -> None:
    workflow = yaml.safe_load(WORKFLOW.read_text())
    build, publish = workflow["jobs"]["build"], workflow["jobs"]["publish"]
    [called] = [step["run"] for step in build["steps"] if "run" in step]
    steps = {step["uses"].partition("@")[0]: step["with"] for step in publish["steps"]}
    [kept] = [each["with"] for each in build["steps"] if "upload-artifact" in each.get("uses", "")]
    fetched = steps["actions/download-artifact"]

    assert called == 'make release TAG="$GITHUB_REF_NAME"'
    assert workflow[True] == {"push": {"tags": ["v[0-9]*"]}}, "YAML reads `on` as true"
    assert (kept["name"], kept["path"]) == (fetched["name"], fetched["path"])
    assert steps["pypa/gh-action-pypi-publish"] == {"packages-dir": f"{kept['path']}/packages"}
    assert steps["actions/attest-build-provenance"]["subject-path"].split() == [
        f"{kept['path']}/{each}" for each in ("SHA256SUMS", "packages/*", "sbom/*")
    ]
    assert build["permissions"] == {"contents": "read"}
    assert publish["permissions"] == {"attestations": "write", "id-token": "write"}
    assert "secrets." not in WORKFLOW.read_text()


def test_make_passes_tag_and_key_to_the_script() -> None:
    done = subprocess.run(
        ["make", "--no-print-directory", "--dry-run", "release", "TAG=v1.2.0", "KEY=k"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert done.stdout.splitlines()[-1] == ".venv/bin/python -m releasing --tag v1.2.0 --key k"
