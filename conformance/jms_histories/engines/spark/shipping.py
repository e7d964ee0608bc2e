"""Our own code for Spark's workers: an archive that the job brings along.

Workers need Python, numpy and pyarrow. What is shipped is pure Python and imports nothing else.
"""

from __future__ import annotations

import hashlib
import os
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

import jms_histories
from jvm_runtime.cache import cache_folder, writing

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_EPOCH: Final = (1980, 1, 1, 0, 0, 0)


def archive() -> Path:
    """A zip of our code, made once for each state of it; its name tells the state."""
    root = Path(jms_histories.__file__).parent
    contents = [
        (f"{root.name}/{file.relative_to(root)}", file.read_bytes())
        for file in sorted(root.rglob("*.py"))
    ]
    digest = hashlib.sha256()
    for name, content in contents:
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    path = cache_folder() / "spark-code" / f"{root.name}-{digest.hexdigest()[:16]}.zip"
    if not path.exists():
        _write(path, contents)
    return path


def ship(spark: SparkSession, master: str) -> bool:
    """Give the workers of a cluster our code; False where they are this machine's own."""
    if master.startswith("local["):
        return False
    spark.addArtifact(str(archive()), pyfile=True)
    return True


def _write(path: Path, contents: list[tuple[str, bytes]]) -> None:
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(f".{os.getpid()}")
        with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as stream:
            for name, content in contents:
                stream.writestr(zipfile.ZipInfo(name, _EPOCH), content)
        unfinished.replace(path)
