"""What is kept of the catalogue holds until a source changes, and is never needed."""

from __future__ import annotations

import datetime
import json
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from jms_brokers.machine import installed
from touchstone.catalogue import Catalogue, known_library, load_library
from touchstone.catalogue import kept as module
from touchstone.catalogue.kept import digest_of, kept_of, kept_result
from touchstone.catalogue.toml_texts import parsed


class Finding:
    """Counts how often something was found out."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> dict[str, int]:
        self.times += 1
        return {"times": self.times}


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("TOUCHSTONE_CACHE", str(folder))
    return folder


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only module of the only package that counts."""
    package = tmp_path / "catalogue_of_one"
    package.mkdir()
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(module, "HARNESS", (package.name,))
    return package / "__init__.py"


@pytest.mark.usefixtures("cache", "source")
def test_it_is_found_out_once() -> None:
    find_out = Finding()
    assert [kept_result("it", find_out) for _ in range(3)] == [{"times": 1}] * 3
    assert kept_result("other", find_out) == {"times": 2}


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize(
    "change",
    [
        lambda source: source.write_text("x = 1"),
        lambda source: (source.parent / "new.toml").touch(),
        lambda source: source.unlink(),
    ],
    ids=["changed", "added", "removed"],
)
def test_it_is_found_out_anew_when_a_source_changes(
    source: Path, change: Callable[[Path], object]
) -> None:
    (source.parent / "other.py").touch()
    find_out = Finding()
    kept_result("it", find_out)
    change(source)
    assert kept_result("it", find_out) == {"times": 2}


@pytest.mark.usefixtures("cache", "source")
def test_it_is_another_in_another_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find_out = Finding()
    kept_result("it", find_out)
    monkeypatch.chdir(tmp_path)
    assert kept_result("it", find_out) == {"times": 2}


@pytest.mark.usefixtures("source")
@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: b"[]",
        lambda content: b"\0" * len(content),
        lambda content: content[:-1],
        lambda content: content.partition(b"\n")[2],
        lambda content: content.replace(b"1}", b"7}"),
        lambda content: json.dumps({"digest": "of an older version", "value": 7}).encode(),
    ],
)
def test_a_damaged_file_is_made_anew(cache: Path, damage: Callable[[bytes], bytes]) -> None:
    find_out = Finding()
    kept_result("it", find_out)
    [file] = (cache / "catalogue").iterdir()
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    assert file.read_bytes() != whole
    assert [kept_result("it", find_out) for _ in range(2)] == [{"times": 2}] * 2


@pytest.mark.usefixtures("source")
def test_nothing_is_kept_where_nothing_can_be_written(cache: Path) -> None:
    cache.write_text("a file, and no folder")
    find_out = Finding()
    assert [kept_result("it", find_out) for _ in range(2)] == [{"times": 1}, {"times": 2}]


@pytest.mark.usefixtures("source")
def test_nothing_is_kept_where_everybody_may_write(cache: Path) -> None:
    cache.mkdir()
    cache.chmod(0o777)
    find_out = Finding()
    assert [kept_result("it", find_out) for _ in range(2)] == [{"times": 1}, {"times": 2}]
    assert not [*cache.iterdir()]


@pytest.mark.usefixtures("cache", "source")
@pytest.mark.parametrize(
    "value", [object(), datetime.datetime(2026, 1, 31), "\ud800", float("inf")]
)
def test_what_json_lacks_is_given_all_the_same(value: object) -> None:
    assert [kept_result("it", lambda: value) for _ in range(2)] == [value] * 2


@pytest.mark.usefixtures("cache")
def test_what_was_found_out_while_a_source_changed_is_not_kept(source: Path) -> None:
    def find_out() -> str:
        text = source.read_text()
        source.write_text("a = 2")
        return text

    source.write_text("a = 1")
    assert kept_result("it", find_out) == "a = 1"
    source.write_text("a = 1")
    assert kept_result("it", lambda: "found out again") == "found out again"


@pytest.mark.usefixtures("cache", "source")
def test_another_may_keep_it_meanwhile() -> None:
    def find_out() -> str:
        assert kept_result("it", lambda: "the other's") == "the other's"
        return "mine"

    assert kept_result("it", find_out) == "mine"
    assert kept_result("it", Finding()) == "mine"


MANY_TIMES = """
import sys
from touchstone.catalogue.kept import kept_of
for number in range(300):  # more than are kept, so that files are removed meanwhile
    text = str(number % 90)
    assert kept_of(text, lambda: [text] * 5_000) == [text] * 5_000
"""


def test_many_processes_may_keep_things_at_the_same_time(cache: Path) -> None:
    command = [sys.executable, "-c", MANY_TIMES]
    running = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    assert [each.communicate()[1] for each in running] == [""] * 4
    assert [each.returncode for each in running] == [0] * 4
    assert any((cache / "catalogue").iterdir())


@pytest.mark.usefixtures("source")
def test_old_files_are_removed(cache: Path) -> None:
    for number in range(70):
        kept_result(f"it-{number}", Finding())
    assert len([*(cache / "catalogue").iterdir()]) == 60


def test_bytecode_is_no_source(source: Path) -> None:
    before = digest_of([source.parent.name])
    compiled = source.parent / "__pycache__"
    compiled.mkdir()
    (compiled / "no.py").write_text("x = 1")
    assert digest_of([source.parent.name]) == before


def test_a_source_that_cannot_be_read_hinders_nobody(source: Path) -> None:
    before = digest_of([source.parent.name])
    (source.parent / ".#an-editor's-lock.py").symlink_to("nowhere")
    assert digest_of([source.parent.name]) != before


def test_a_module_is_a_source_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    module = tmp_path / "catalogue_of_one_module.py"
    module.write_text("x = 1")
    before = digest_of([module.stem])
    module.write_text("x = 2")
    assert digest_of([module.stem]) != before


@pytest.mark.usefixtures("cache", "source")
def test_it_is_found_out_anew_when_something_else_is_registered(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    late = tmp_path / "path/late-0.dist-info"
    late.mkdir(parents=True)
    (late / "METADATA").write_text("Metadata-Version: 2.1\nName: late\nVersion: 0\n")
    points = late / "entry_points.txt"
    monkeypatch.syspath_prepend(late.parent)
    find_out = Finding()
    for attribute in ("ONE", "OTHER"):
        points.write_text(f"[touchstone.catalogues]\nlate = late:{attribute}\n")
        installed._entry_points_on.cache_clear()
        kept_result("it", find_out)
    installed._entry_points_on.cache_clear()
    assert find_out.times == 2


@pytest.mark.usefixtures("cache")
def test_toml_is_kept_as_it_is() -> None:
    [catalogue] = load_library().catalogues
    texts = [
        file.read_text(encoding="utf-8")
        for folder in ("requirements", "deviations")
        for file in catalogue.files.joinpath(folder).iterdir()
        if file.name.endswith(".toml")
    ]
    assert len(texts) > 10
    for text in texts * 2:
        parsed.cache_clear()
        assert parsed(text) == tomllib.loads(text)


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize("value", ["2026-01-31T10:00:00", "10:00:00", "nan", "{inner = inf}"])
def test_toml_that_json_lacks_is_read_each_time(value: str) -> None:
    text = f"value = {value}\n{'#' * 20_000}"
    for _ in range(2):
        parsed.cache_clear()
        assert repr(parsed(text)) == repr(tomllib.loads(text))


@pytest.mark.usefixtures("cache")
def test_toml_that_is_wrong_is_refused_each_time() -> None:
    for _ in range(2):
        with pytest.raises(ValueError, match="Invalid value"):
            parsed(f"value =\n{'#' * 20_000}")


def test_a_text_is_found_by_itself_alone(cache: Path) -> None:
    assert kept_of("one", lambda: 1) == 1
    [file] = (cache / "catalogue").iterdir()
    assert kept_of("other", lambda: 2) == 2
    [other] = {*(cache / "catalogue").iterdir()} - {file}
    other.write_bytes(file.read_bytes())  # as if their names were the same
    assert kept_of("other", lambda: 2) == 2


@pytest.mark.usefixtures("cache")
def test_the_known_library_is_the_one_that_is_loaded() -> None:
    for _ in range(2):
        assert known_library() == load_library()
        assert known_library().requirements == load_library().requirements


def test_a_catalogue_need_not_be_imported_to_find_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even where pytest has its own loader, which knows no files of what it did not load."""
    monkeypatch.syspath_prepend(tmp_path)
    name = "test_scenarios_of_nobody"
    package = tmp_path / name
    package.mkdir()
    (package / "__init__.py").write_text("raise AssertionError")
    assert Catalogue("nobody", name, (), ()).files == package
    (package / "__init__.py").unlink()
    assert Catalogue("nobody", name, (), ()).files.joinpath("x") == package / "x"


def test_a_catalogue_may_lie_in_an_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = tmp_path / "zipped.zip"
    with zipfile.ZipFile(archive, "w") as content:
        content.writestr("scenarios_in_an_archive/__init__.py", "")
        content.writestr("scenarios_in_an_archive/all.toml", "it is there")
    monkeypatch.syspath_prepend(archive)
    files = Catalogue("zipped", "scenarios_in_an_archive", (), ()).files
    assert files.joinpath("all.toml").read_text() == "it is there"
