"""What is kept of the catalogue holds until a source changes, and is never needed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from touchstone.catalogue import kept as module
from touchstone.catalogue.kept import digest_of, kept


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
    assert [kept("it", find_out) for _ in range(3)] == [{"times": 1}] * 3
    assert kept("other", find_out) == {"times": 2}


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
    kept("it", find_out)
    change(source)
    assert kept("it", find_out) == {"times": 2}


@pytest.mark.usefixtures("cache", "source")
def test_it_is_another_in_another_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find_out = Finding()
    kept("it", find_out)
    monkeypatch.chdir(tmp_path)
    assert kept("it", find_out) == {"times": 2}


@pytest.mark.usefixtures("source")
@pytest.mark.parametrize("content", ["", "[]", "{}", '{"digest": "', "\0"])
def test_a_damaged_file_is_made_anew(cache: Path, content: str) -> None:
    find_out = Finding()
    kept("it", find_out)
    [file] = (cache / "catalogue").iterdir()
    file.write_text(content)
    assert [kept("it", find_out) for _ in range(2)] == [{"times": 2}] * 2


@pytest.mark.usefixtures("source")
def test_nothing_is_kept_where_nothing_can_be_written(cache: Path) -> None:
    cache.write_text("a file, and no folder")
    find_out = Finding()
    assert [kept("it", find_out) for _ in range(2)] == [{"times": 1}, {"times": 2}]


@pytest.mark.usefixtures("source")
def test_old_files_are_removed(cache: Path) -> None:
    for number in range(70):
        kept(f"it-{number}", Finding())
    assert len([*(cache / "catalogue").iterdir()]) == 60


def test_bytecode_is_no_source(source: Path) -> None:
    before = digest_of([source.parent.name])
    compiled = source.parent / "__pycache__"
    compiled.mkdir()
    (compiled / "no.py").write_text("x = 1")
    assert digest_of([source.parent.name]) == before
