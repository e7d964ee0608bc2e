"""Data folders of brokers, in the temporary directory; none piles up, however a run ends."""

from __future__ import annotations

import shutil
from pathlib import Path

from jms_brokers.errors import BrokerError
from jvm_runtime.jvm_errors import FolderError
from jvm_runtime.own_folders import OwnFolder

NEEDED_BYTES = 100_000_000


class BrokerFolder(OwnFolder):
    """A new folder for one broker of this process; raises BrokerError, also if it has no room."""

    def __init__(self, name: str) -> None:
        try:
            super().__init__(name)  # which removes what others left, and may make the room
        except FolderError as error:
            raise BrokerError(error.message, hint=error.hint) from error
        try:
            require_space(self.path, NEEDED_BYTES)
        except BrokerError:
            self.remove()
            raise


def require_space(folder: Path, size: int) -> None:
    """Raise BrokerError if the disk of `folder` has less than `size` bytes left.

    A broker on a full disk starts all the same, and then keeps every message waiting.
    """
    free = shutil.disk_usage(folder).free
    if free < size:
        raise BrokerError(
            f"The disk of {folder} is too full: a broker needs {size / 1e6:.0f} MB, "
            f"{free / 1e6:.0f} MB are free",
            hint="Free some space there, or name a folder on another disk with TMPDIR",
        )
