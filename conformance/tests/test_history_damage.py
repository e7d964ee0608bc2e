"""Damage all over a sealed history: it is refused by the name of the file, or changes nothing."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from jms_histories.errors import HistoryError
from jms_histories.verification.verification import verify
from touchstone.cli import main
from touchstone.verdicts import ExitStatus
from written_histories import changed_table, write

PLACES = 100
"""In each file; half of them in its last quarter, where Parquet has its footer."""


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(changed_table(3, seed=1), tmp_path_factory.mktemp("sealed") / "h", files=1)


@pytest.fixture(scope="module")
def right(sealed: Path) -> dict[str, Any]:
    return told(sealed)


def told(folder: Path) -> dict[str, Any]:
    """What is said of a history, but for how long that took and where it is."""
    document = verify(folder).document
    return {name: document[name] for name in ("verdict", "checks", "findings", "statistics")}


FILES = (
    "manifest.json",
    "send/00000.parquet",
    "delivery/00000.parquet",
    "session.parquet",
    "subscription.parquet",
    "tx.parquet",
)


def damaged(data: bytes, random: Random) -> Iterator[bytes]:
    """The same with one place damaged, a kind of damage after the other."""
    for number in range(PLACES):
        at = random.randrange(len(data) * 3 // 4 if number % 2 else 0, len(data))
        match number // 2 % 6:
            case 0 | 1:
                yield data[:at] + bytes((data[at] ^ 1 << random.randrange(8),)) + data[at + 1 :]
            case 2:
                yield data[:at] + random.randbytes(1) + data[at + 1 :]
            case 3:
                yield data[:at] + bytes(len(data[at : at + 512])) + data[at + 512 :]
            case 4:
                yield data[:at]
            case _:
                yield data[:at] + data[at + 1 :]


@pytest.mark.parametrize("path", FILES)
def test_a_damaged_file_is_refused_by_its_name_or_nothing_else_is_said(
    path: str, sealed: Path, right: dict[str, Any], tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(sealed, tmp_path / "h"))
    data = (folder / path).read_bytes()
    refusals: list[HistoryError] = []
    for other in damaged(data, Random(path)):
        (folder / path).write_bytes(other)
        try:
            assert told(folder) == right
        except HistoryError as error:
            refusals.append(error)
    assert len(refusals) > PLACES // 2
    assert all(str(folder / path) in one.what and "\n" not in one.what for one in refusals)
    assert all(one.hint for one in refusals)


@pytest.mark.parametrize("path", FILES)
def test_a_damaged_file_ends_the_command_with_one_line_and_what_to_do(
    path: str, sealed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path(shutil.copytree(sealed, tmp_path / "h"))
    data = (folder / path).read_bytes()
    (folder / path).write_bytes(data[:-20] + bytes(20))

    assert main(["verify", str(folder)]) == ExitStatus.FAULT
    what, hint = capsys.readouterr().err.splitlines()
    assert what.startswith(f"touchstone: {folder / path} ")
    assert hint.startswith("  hint: ")
    assert not (tmp_path / "h-report").exists()


def test_the_engine_spark_refuses_the_same(sealed: Path, tmp_path: Path) -> None:
    """A page that only its tasks read: the driver looks at footers alone."""
    folder = Path(shutil.copytree(sealed, tmp_path / "h"))
    file = folder / "delivery" / "00000.parquet"
    data = bytearray(file.read_bytes())
    data[len(data) // 8] ^= 0x40
    file.write_bytes(data)

    with pytest.raises(HistoryError, match=r"delivery/00000\.parquet is damaged: from byte \d+"):
        verify(folder, "spark", master="local[1]")
