"""The entry filter comes out of its jar once, and a jar that is not there is named."""

from __future__ import annotations

import io
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

from jms_brokers.errors import BrokerError
from jms_brokers.families.pulsar import entry_filter
from jvm_runtime import locks
from jvm_runtime.progress import quiet


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, without the machine's own Maven repository behind it."""
    monkeypatch.setenv("TOUCHSTONE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("M2_REPO", str(tmp_path / "m2"))
    return tmp_path / "cache"


@pytest.fixture
def jar(cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small jar with an archive in the cache, in the place of the locked one."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("filters/jms-filter.nar", b"the filter")
    locked = locks.Jar(
        "g", "a", "1", "", sha256(content.getvalue()).hexdigest(), len(content.getvalue())
    )
    monkeypatch.setattr(locks, "load", lambda program: locks.Lock(program, (locked,)))
    file = cache / "jars" / locked.path
    file.parent.mkdir(parents=True)
    file.write_bytes(content.getvalue())
    return file


def test_the_archive_is_kept_and_the_jar_not_needed_again(jar: Path) -> None:
    first = entry_filter.archive(offline=True, show=quiet)
    jar.unlink()
    again = entry_filter.archive(offline=True, show=quiet)

    assert again == first
    assert [file.name for file in first.parent.iterdir()] == ["jms-filter.nar"]
    assert first.read_bytes() == b"the filter"


def test_without_jar_and_network_the_jar_is_named(cache: Path) -> None:
    with pytest.raises(BrokerError, match=r"pulsar-jms-all:9\.0\.0") as caught:
        entry_filter.archive(offline=True, show=quiet)

    assert "--offline" in caught.value.hint
    assert not (cache / "filters").exists()
