"""Where a history is: a local folder, or a URL of a file system that pyarrow knows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.fs

from jms_histories.errors import HistoryError

_LONGEST_TEXT: Final = 256 << 20
"""Bytes; the manifest of a history of 10^8 messages has a fiftieth of that."""


@dataclass(frozen=True)
class Location:
    """A folder as text, so that it can be sent to other processes: a path, or `s3://bucket/…`."""

    folder: str

    @property
    def is_remote(self) -> bool:
        """Whether it is a URL."""
        return "://" in self.folder

    def absolute(self) -> Location:
        """The same, wherever the process works that it is sent to."""
        return self if self.is_remote else Location(str(Path(self.folder).absolute()))

    def read_text(self, path: str) -> str:
        """The content of a text file in it. Raises HistoryError if it is not there, or too long."""
        try:
            with self.open(path) as file:
                if file.size() > _LONGEST_TEXT:
                    raise HistoryError(
                        f"{self.of(path)} has {file.size()} bytes, which no such file has",
                        hint="Seal or make the history again.",
                    )
                return str(file.read().decode())
        except UnicodeDecodeError as error:
            raise HistoryError(
                f"{self.of(path)} is not text: {error}", hint="Seal or make the history again."
            ) from error

    def open(self, path: str) -> Any:
        """A file in it as a random-access pyarrow file. Raises HistoryError if it is not there."""
        system, base = self._system()
        try:
            if not self.is_remote and not Path(base, path).is_file():
                raise FileNotFoundError("there is no such file")  # to open a pipe would wait
            return system.open_input_file(f"{base}/{path}")
        except (OSError, ValueError) as error:
            raise HistoryError(
                f"{self.of(path)} cannot be read: {error}",
                hint="A history is a folder with manifest.json; make it by `touchstone history "
                "seal` or `make`, and copy it whole.",
            ) from error

    def files(self, folder: str) -> list[str]:
        """Paths, relative to this one, of the files directly in a folder; none if it is absent."""
        system, base = self._system()
        selector = pyarrow.fs.FileSelector(f"{base}/{folder}", allow_not_found=True)
        try:
            infos = system.get_file_info(selector)
        except (OSError, pa.ArrowInvalid) as error:
            raise HistoryError(
                f"{self.of(folder)} cannot be read: {error}",
                hint="It is a folder of a history: copy the history whole.",
            ) from error
        return sorted(
            f"{folder}/{info.base_name}" for info in infos if info.type == pyarrow.fs.FileType.File
        )

    def of(self, path: str) -> str:
        """How a file in it is called in messages."""
        return f"{self.folder.rstrip('/')}/{path}"

    def _system(self) -> tuple[Any, str]:
        if not self.is_remote:
            return pyarrow.fs.LocalFileSystem(), str(Path(self.folder).absolute())
        try:
            system, base = pyarrow.fs.FileSystem.from_uri(self.folder)
        except (OSError, pa.ArrowInvalid, NotImplementedError) as error:
            raise HistoryError(
                f"{self.folder} is no place that can be read: {error}",
                hint="Give a folder, or a URL such as s3://bucket/history or file:///history.",
            ) from error
        return system, base.rstrip("/")
