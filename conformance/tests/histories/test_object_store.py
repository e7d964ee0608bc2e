"""Histories in an object store: read by name and range."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from histories.object_store import object_store
from histories.written_histories import changed_table, write
from jms_histories.errors import HistoryError
from jms_histories.history.bucket import bucket
from jms_histories.history.reader import open_history
from jms_histories.verification.verification import verify

pytestmark = pytest.mark.thorough

URL = "s3://bucket/runs/changed"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """What stands in the store at URL; the variables by which the store is found are set."""
    store = tmp_path_factory.mktemp("store")
    changed = write(changed_table(60, seed=9), store / "bucket/runs/changed")
    with pytest.MonkeyPatch.context() as patch, object_store(store) as address:
        patch.setenv("AWS_ENDPOINT_URL", address)
        patch.setenv("AWS_ACCESS_KEY_ID", "key")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        yield changed


def test_it_is_verified_as_if_it_were_here(folder: Path) -> None:
    here, there = verify(folder), verify(URL)

    assert sum(count.violations for count in here.counts.values()) > 0
    assert there.counts == here.counts
    assert there.findings.equals(here.findings)
    assert there.statistics == here.statistics
    assert there.document["history"] == URL
    assert there.document["findings"] == here.document["findings"]


def test_it_can_be_rewritten_in_buckets(folder: Path, tmp_path: Path) -> None:
    bucket(URL, tmp_path / "buckets", 4)

    assert verify(tmp_path / "buckets").counts == verify(folder).counts


def test_what_is_not_there_or_does_not_belong_there_is_told(folder: Path) -> None:
    with pytest.raises(HistoryError, match=r"s3://bucket/runs/other/manifest\.json cannot be read"):
        open_history("s3://bucket/runs/other")
    stray = folder.with_name("stray")
    shutil.copytree(folder, stray)
    shutil.copy(stray / "send/00000.parquet", stray / "send/00007.parquet")
    with pytest.raises(HistoryError, match=r"send/00007\.parquet is not in the manifest"):
        open_history("s3://bucket/runs/stray")
