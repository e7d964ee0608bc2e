"""What somebody's broken distribution registers breaks what needs it, with a word, and no more."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from jms_brokers.errors import BrokenDistribution
from jms_brokers.machine.installed import _entry_points_on
from touchstone.catalogue import load_library
from touchstone.catalogue.deviation_files import load_deviations
from touchstone.catalogue.scenarios import collect_scenarios
from touchstone.cli import main
from touchstone.commands import run as run_command
from touchstone.errors import HarnessError
from touchstone.verdicts import ExitStatus

BROKEN = "acme_broken"
"""The module that cannot be imported."""
TOLD = f"The catalogue 'acme' ({BROKEN}:CATALOGUE) cannot be loaded: ModuleNotFoundError"
ONE_HOLDS = """
    @requirement("TRY-ONE-001")
    def test_it(name):
        assert name("x")
"""
DEVIATION = """
[[deviation]]
provider = "memory"
requirement = "ACME-ONE-001"
message = "assert 1 == 2"
class = "known-defect"
reason = "The catalogue that has the statement is not there."
date = 2026-11-29
"""


def install(folder: Path, *points: str, module: str = "import no_such_library") -> None:
    """A distribution that registers what its module, which raises, should have."""
    sys.modules.pop(BROKEN, None)
    (folder / f"{BROKEN}.py").write_text(module)
    installed = folder / "acme-0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 0\n")
    (installed / "entry_points.txt").write_text("\n".join((*points, "")))
    _entry_points_on.cache_clear()


CATALOGUE = ("[touchstone.catalogues]", f"acme = {BROKEN}:CATALOGUE")
PROVIDER = ("[jms_clients.providers]", f"acme = {BROKEN}:provider")
DEVIATIONS = ("[touchstone.deviations]", f"acme = {BROKEN}:DEVIATIONS")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which distributions are found."""
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("module", "said"),
    [
        ("import no_such_library", "cannot be loaded: ModuleNotFoundError"),
        ("raise RuntimeError('not today')", "cannot be loaded: RuntimeError('not today')"),
        ("CATALOGUE = 7", "is a int"),
        (
            "from touchstone.api import Catalogue\n"
            "CATALOGUE = Catalogue('acme', 'acme_nowhere', (), ())",
            "cannot be loaded: ModuleNotFoundError",
        ),
    ],
)
def test_a_catalogue_that_cannot_be_loaded_is_left_out_and_named(
    folder: Path, module: str, said: str
) -> None:
    usual = load_library()
    install(folder, *CATALOGUE, module=module)

    with pytest.warns(BrokenDistribution, match="The catalogue 'acme'") as warned:
        library = load_library()

    assert said in str(warned[0].message)
    assert library.catalogues == usual.catalogues
    assert [said in each for each in library.broken] == [True]


def test_a_command_that_does_not_need_it_works_and_says_so_each_time(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    install(folder, *CATALOGUE)
    for _ in range(2):
        assert main(["deviations", "--provider", "qpid"]) == ExitStatus.NOTHING_UNEXPECTED
        assert f"touchstone: warning: {TOLD}" in capsys.readouterr().err


def test_what_was_found_out_without_it_is_not_kept(folder: Path) -> None:
    before = load_library()
    scenarios = collect_scenarios(before)
    install(folder, *CATALOGUE)
    with pytest.warns(BrokenDistribution):
        lacking = load_library()
    collected = []

    def collect(library: Any) -> list[Any]:
        collected.append(library)
        return []

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("touchstone.catalogue.collecting.collect", collect)
        for _ in range(2):
            assert collect_scenarios(lacking) == ()
    assert collected == [lacking, lacking]
    assert len(scenarios) > 1000


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["run", "--catalogue", "acme"], "There is no catalogue 'acme'"),
        (["run", "--requirement", "ACME-ONE-001"], "There is no requirement 'ACME-ONE-001'"),
        (["list", "--document", "ACME"], "There is no document 'ACME'"),
    ],
)
def test_whoever_needs_it_is_told_why_it_is_not_there(
    folder: Path,
    words: list[str],
    fault: str,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    install(folder, *CATALOGUE)
    monkeypatch.setenv("PYTHONPATH", str(folder))

    assert main(words) == ExitStatus.FAULT

    said = "".join(capfd.readouterr())
    assert fault in said
    assert TOLD in said[said.index(fault) :]


def test_a_run_by_another_catalogue_judges_and_warns(catalogue: Any) -> None:
    install(catalogue.pytester.path, *CATALOGUE, *DEVIATIONS)
    catalogue.deviations(DEVIATION)

    judged = catalogue.scenarios(ONE_HOLDS).judge("-p", "warnings")

    assert judged.line["verdict"] == "CONFORMS", judged.output
    assert judged.exit_status == 0
    assert f"BrokenDistribution: {TOLD}" in judged.output
    assert f"The deviations 'acme' ({BROKEN}:DEVIATIONS) cannot be loaded" in judged.output


def test_a_deviation_of_no_known_statement_is_refused_where_no_catalogue_is_broken(
    catalogue: Any,
) -> None:
    catalogue.deviations(DEVIATION)

    with pytest.raises(HarnessError, match="no requirement ACME-ONE-001") as refused:
        load_deviations(load_library())

    assert "TRY (The tried document)" in refused.value.hint


def test_a_client_of_a_broken_catalogues_document_is_not_judged(catalogue: Any) -> None:
    install(catalogue.pytester.path, *CATALOGUE)
    (catalogue.pytester.path / "try_acme.py").write_text(
        "from try_memory import Memory\n\nPROVIDER = Memory(documents=frozenset({'ACME'}))\n"
    )

    judged = catalogue.scenarios(ONE_HOLDS).judge("--provider", "python:try_acme:PROVIDER")

    assert judged.exit_status == ExitStatus.FAULT
    assert judged.folder is None
    assert "names the document 'ACME', which no catalogue has" in judged.output
    assert TOLD in judged.output


def test_of_all_clients_a_broken_one_is_left_out_and_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install(folder, *PROVIDER)
    asked: list[str] = []

    def judge(packages: Any, options: list[str]) -> ExitStatus:
        asked.append(options[options.index("--provider") + 1])
        return ExitStatus.NOTHING_UNEXPECTED

    monkeypatch.setattr(run_command, "judge", judge)

    assert main(["run", "--all"]) == ExitStatus.NOTHING_UNEXPECTED

    assert "reference" in asked
    assert "acme" not in asked
    said = " ".join(capsys.readouterr().out.split())
    assert "not judged: acme cannot run here: The provider 'acme' cannot be loaded: Module" in said


def test_a_broken_client_alone_is_a_fault(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    install(folder, *PROVIDER)

    assert main(["run", "--able", "--provider", "acme"]) == ExitStatus.FAULT
    assert "None of acme can run on this machine" in capsys.readouterr().err


@pytest.mark.parametrize("id_", ["ACME-ONE-001", "ACME", "JSM-PROP-003"])
def test_an_unknown_prefix_is_told_with_those_that_there_are(id_: str) -> None:
    library = load_library()

    hint = library.like(id_)

    for prefix, document in library.documents.items():
        assert f"{prefix} ({document.title})" in hint


def test_a_mistyped_id_of_a_known_prefix_is_told_with_what_is_close_to_it() -> None:
    assert "Did you mean JMS-PROP-003" in load_library().like("JMS-PROPS-003")
