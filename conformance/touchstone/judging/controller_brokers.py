"""How a worker finds the brokers of its controller: by a file in the folder that they share."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path

from touchstone.brokers.interface import Broker, BrokerAddress
from touchstone.families.registry import broker_for
from touchstone.families.settings import BrokerSettings
from touchstone.families.sharing import BrokerServer, RemoteBrokers

_FILE = "brokers.json"


def tell_workers(folder: Path, server: BrokerServer) -> None:
    """Leave word of where the brokers are served."""
    (folder / _FILE).write_text(json.dumps(server.endpoint), encoding="utf-8")


def tell_on(folder: Path, other: Path) -> None:
    """Leave the word that is in `folder` in another one, too."""
    shutil.copyfile(folder / _FILE, other / _FILE)


class BrokersOfController:
    """The controller's brokers; reached when the first scenario asks, since they begin to be
    served after the workers have collected.
    """

    def __init__(self, folder: str, settings: BrokerSettings) -> None:
        self._folder = Path(folder)
        self._settings = settings

    @cached_property
    def _remote(self) -> RemoteBrokers:
        found: Mapping[str, object] = json.loads((self._folder / _FILE).read_text(encoding="utf-8"))
        return RemoteBrokers(found)

    def lease(self, profile: str = "plain") -> AbstractContextManager[BrokerAddress]:
        """The broker of `profile`, which stays while the block runs; raises BrokerError."""
        return self._remote.lease(profile)

    def close(self) -> None:
        """Leave the brokers to their controller."""
        if "_remote" in self.__dict__:
            self._remote.close()

    def exclusive(self, profile: str = "plain") -> Broker:
        """A private broker of this process."""
        return broker_for(self._settings, profile)
