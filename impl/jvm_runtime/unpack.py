"""Unpacks the archives of a lock into the cache: the jars that it names, and what lies beside them.

An archive is verified before it comes here; whether its files are still as they were in it is
looked at each time.
"""

from __future__ import annotations

import shutil
import tempfile
import zlib
from pathlib import Path, PurePosixPath
from zipfile import BadZipFile, ZipFile, ZipInfo

from jvm_runtime.cache import cache_folder, process_lock, writing
from jvm_runtime.jvm_errors import CorruptJarError
from jvm_runtime.locks import Jar


def unpack_jars(archive: Path, jar: Jar) -> tuple[Path, ...]:
    """Return the jars inside `archive` that its lock names, unpacked with their folders.

    Raises CorruptJarError where the archive has not got them, CacheError as `fetch` does.
    """
    place = cache_folder() / "unpacked"
    folder = place / jar.sha256
    try:
        with ZipFile(archive) as opened:
            wanted = _files_beside(jar.inside, opened.infolist())
            if not _are_there(wanted, folder):
                with process_lock(place / "unpack.lock"):
                    # Another process may have unpacked it while this one waited for the lock.
                    if not _are_there(wanted, folder):
                        _unpack(opened, wanted, folder)
    except BadZipFile as error:
        raise _not_inside(jar, str(error)) from error
    paths = tuple(folder / name for name in jar.inside)
    for path in paths:
        if not path.is_file():
            raise _not_inside(jar, f"{path.relative_to(folder)} is not in it")
    return paths


def _files_beside(names: tuple[str, ...], entries: list[ZipInfo]) -> list[ZipInfo]:
    """The files in the folders of the files named."""
    folders = {PurePosixPath(name).parent for name in names}
    return [
        entry
        for entry in entries
        if not entry.is_dir() and folders & {*PurePosixPath(entry.filename).parents}
    ]


def _are_there(entries: list[ZipInfo], folder: Path) -> bool:
    return all(_is_there(entry, folder / entry.filename) for entry in entries)


def _is_there(entry: ZipInfo, file: Path) -> bool:
    try:
        return file.stat().st_size == entry.file_size and zlib.crc32(file.read_bytes()) == entry.CRC
    except OSError:
        return False


def _unpack(archive: ZipFile, entries: list[ZipInfo], folder: Path) -> None:
    """Everything or nothing; names that lead out of the folder lose what leads out."""
    with writing(folder):
        incoming = Path(tempfile.mkdtemp(prefix=".incoming-", dir=folder.parent))
        try:
            archive.extractall(incoming, entries)
            shutil.rmtree(folder, ignore_errors=True)
            incoming.replace(folder)
        finally:
            shutil.rmtree(incoming, ignore_errors=True)


def _not_inside(jar: Jar, what: str) -> CorruptJarError:
    return CorruptJarError(
        f"{jar.coordinates} does not hold what its lock names: {what}",
        hint="Name paths of jars in the archive, with / between folders",
    )
