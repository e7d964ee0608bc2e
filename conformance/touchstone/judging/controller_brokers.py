"""How a worker finds the brokers of its controller: by a file in the folder that they share."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from functools import cached_property
from pathlib import Path

from jms_brokers.brokers.interface import Broker, BrokerAddress
from jms_brokers.shared.registry import broker_for
from jms_brokers.shared.settings import BrokerSettings
from touchstone.brokers.broker_set import BrokerSet
from touchstone.brokers.sharing import BrokerServer, RemoteBrokers

_FILE = "brokers.json"
_ALIVE = 6
"""Brokers of several runs at once, which ask for different ones in turn."""


def tell_workers(folder: Path, server: BrokerServer) -> None:
    """Leave word of where the brokers are served."""
    (folder / _FILE).write_text(json.dumps(server.endpoint), encoding="utf-8")


def tell_on(folder: Path, other: Path) -> None:
    """Leave the word that is in `folder` in another one, too."""
    shutil.copyfile(folder / _FILE, other / _FILE)


class BrokersOfSome:
    """The brokers of some runs: there when the first begins, gone with the last."""

    def __init__(self, settings: BrokerSettings, folder: Path, runs: int | None) -> None:
        """`folder`, which is made, is where a run finds word of them.

        Without a number of `runs` they stay until they are closed.
        """
        self._settings = settings
        self._folder = folder
        self._left = runs
        self._lock = threading.Lock()
        self._stack = ExitStack()
        self.family = settings.family

    @contextmanager
    def used_by_one(self) -> Iterator[Path]:
        """The folder, for one of the runs."""
        with self._lock:
            if not self._folder.exists():
                self._folder.mkdir()
                brokers = self._stack.enter_context(BrokerSet(self._settings, alive=_ALIVE))
                server = self._stack.enter_context(closing(BrokerServer(brokers)))
                tell_workers(self._folder, server)
        try:
            yield self._folder
        finally:
            with self._lock:
                if self._left is not None:
                    self._left -= 1
                    if not self._left:
                        self.close()

    def close(self) -> None:
        """End them, though runs may be left."""
        self._stack.close()


class BrokersOfController:
    """The controller's brokers; reached when the first scenario asks, since they begin to be
    served after the workers have collected.
    """

    def __init__(self, folder: str, settings: BrokerSettings) -> None:
        self._folder = Path(folder)
        self._settings = settings

    @cached_property
    def _remote(self) -> RemoteBrokers:
        addresses: Mapping[str, object] = json.loads(
            (self._folder / _FILE).read_text(encoding="utf-8")
        )
        return RemoteBrokers(addresses)

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
