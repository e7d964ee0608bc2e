"""`touchstone init` fills in the blanks of a skeleton, or says in one line why not."""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

from project.test_workflows import ZIZMOR, actionlint
from touchstone.cli import main
from touchstone.skeletons.writing import KINDS, Blanks, skeleton
from touchstone.verdicts import ExitStatus

BLANKS = Blanks("acme-jms", "acme_jms", "ACMEJMS", "0.1.0")
every_kind = pytest.mark.parametrize("kind", KINDS)


@every_kind
def test_it_writes_a_package_with_its_entry_points_and_says_what_is_next(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "deep" / "acme-jms"

    assert main(["init", kind, str(folder)]) == ExitStatus.NOTHING_UNEXPECTED

    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    assert project["name"] == "acme-jms"
    for points in project["entry-points"].values():
        for name, value in points.items():
            module, _, attribute = value.partition(":")
            path = folder.joinpath(*module.split("."))
            file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
            assert name == "acme-jms"
            assert re.search(rf"(?m)^(def )?{attribute}\b", file.read_text())
    assert str(folder) in capsys.readouterr().out


@every_kind
def test_no_blank_is_left_and_each_file_is_what_it_is_called(kind: str) -> None:
    files = skeleton(kind, BLANKS)

    assert len(files) > 8
    for path, text in files.items():
        assert not re.search(r"%\{|\bPACKAGE\b|\bNAME\b", f"{path} {text}"), path
        assert text.endswith("\n"), path
        match path.suffix:
            case ".py":
                ast.parse(text)
            case ".toml":
                tomllib.loads(text)
            case ".yml":
                assert yaml.safe_load(text)["permissions"] == {}


@every_kind
def test_linters_of_workflows_find_nothing(kind: str, tmp_path: Path) -> None:
    assert main(["init", kind, str(tmp_path / "acme")]) == ExitStatus.NOTHING_UNEXPECTED
    [workflow] = (tmp_path / "acme/.github/workflows").iterdir()

    done = subprocess.run([*ZIZMOR, workflow], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    linted = actionlint(workflow)
    assert (linted.returncode, linted.stdout) == (0, "")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Acme", "'Acme' is no name for a Python package"),
        ("7up", "'7up' is no name"),
        ("acme.jms", "'acme.jms' is no name"),
        ("acme--jms", "'acme--jms' is no name"),
        ("größe", "'größe' is no name"),
        ("lambda", "'lambda' is no name"),
        ("json", "There is a package 'json' already"),
        ("jms-scenarios", "There is a package 'jms_scenarios' already"),
        ("qpid", "There is something called 'qpid' in jms_clients.providers already"),
        ("amq", "There is a document with the prefix 'AMQ', Red Hat AMQ JMS, already"),
    ],
)
def test_a_name_that_no_package_can_have_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, said: str
) -> None:
    assert main(["init", "catalogue", str(tmp_path / name)]) == ExitStatus.FAULT

    assert said in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / name).exists()


def test_a_folder_that_is_not_empty_is_left_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "acme"
    folder.mkdir()
    (folder / "mine").write_text("mine")

    assert main(["init", "provider", str(folder)]) == ExitStatus.FAULT

    assert f"The folder {folder} is not empty" in " ".join(capsys.readouterr().err.split())
    assert [file.name for file in folder.iterdir()] == ["mine"]


def test_what_is_no_folder_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "acme").write_text("")

    assert main(["init", "broker", str(tmp_path / "acme")]) == ExitStatus.FAULT
    assert "cannot be written" in capsys.readouterr().err


def test_a_folder_that_is_there_and_empty_is_filled(tmp_path: Path) -> None:
    (tmp_path / "acme").mkdir()

    assert main(["init", "catalogue", str(tmp_path / "acme")]) == ExitStatus.NOTHING_UNEXPECTED
    assert (tmp_path / "acme/acme/requirements.toml").exists()
