"""Lets the workers of a run use the brokers of its controller, each started when first asked for.

The controller serves its `BrokerSet` on the loopback address; a worker connects with the endpoint
that it is told. Messages are JSON, the connection is proved by a key made for the run. What a
worker leased is free again when its connection ends, however it ends.
"""

from __future__ import annotations

import json
import secrets
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener
from typing import Any

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.errors import BrokerError
from touchstone.brokers.broker_set import BrokerSet

_GONE = (EOFError, OSError)
_WAITING = 128
"""Workers whose connections may wait to be accepted. Where there is no room a connection can seem
to be made and is dropped later, and its worker waits for ever."""


class BrokerServer:
    """Serves `brokers` to other processes until it is closed; the set itself stays its owner's."""

    def __init__(self, brokers: BrokerSet) -> None:
        self._brokers = brokers
        self._key = secrets.token_bytes(32)
        self._listener = Listener(("127.0.0.1", 0), backlog=_WAITING, authkey=self._key)
        self._closing = False
        threading.Thread(target=self._accept, name="broker-server", daemon=True).start()

    @property
    def endpoint(self) -> dict[str, Any]:
        """Plain data for `RemoteBrokers`, to be given to workers and nobody else."""
        host, port = self._listener.address
        return {"host": host, "port": port, "key": self._key.hex()}

    def close(self) -> None:
        """Serves nobody any more."""
        self._closing = True
        with suppress(OSError):  # wakes the thread that accepts, if it does not end already
            socket.create_connection(self._listener.address, timeout=1).close()
        self._listener.close()

    def _accept(self) -> None:
        while not self._closing:
            try:
                connection = self._listener.accept()
            except (*_GONE, AuthenticationError):
                continue  # somebody without the key, or gone already
            threading.Thread(
                target=self._serve, args=(connection,), name="broker-server", daemon=True
            ).start()

    def _serve(self, connection: Connection) -> None:
        with connection, ExitStack() as everything:
            leases: dict[str, list[ExitStack]] = {}
            while True:
                try:
                    request = json.loads(connection.recv_bytes())
                    answer = self._answer(request, leases, everything)
                    connection.send_bytes(json.dumps(answer).encode())
                except _GONE:
                    return

    def _answer(
        self,
        request: Mapping[str, str],
        leases: dict[str, list[ExitStack]],
        everything: ExitStack,
    ) -> dict[str, Any]:
        profile = request["profile"]
        try:
            match request["ask"]:
                case "lease":
                    lease = everything.enter_context(ExitStack())
                    address = lease.enter_context(self._brokers.lease(profile))
                    leases.setdefault(profile, []).append(lease)
                    return {"address": address.to_dict()}
                case "release":
                    leases[profile].pop().close()
                    return {}
                case _:
                    return {"address": self._brokers.address(profile).to_dict()}
        except BrokerError as error:
            return {"error": error.what, "hint": error.hint}
        except Exception as error:  # else the worker would hear that its controller is gone
            told = f"The broker {profile} cannot be had: {type(error).__name__}: {error}"
            return {"error": told, "hint": "`touchstone doctor` says what works on this machine"}


class RemoteBrokers:
    """The controller's brokers, seen from a worker; safe for threads."""

    def __init__(self, endpoint: Mapping[str, Any]) -> None:
        self._lock = threading.Lock()
        try:
            self._connection = Client(
                (endpoint["host"], endpoint["port"]), authkey=bytes.fromhex(endpoint["key"])
            )
        except (*_GONE, AuthenticationError) as error:
            raise _no_controller() from error

    def address(self, profile: str = "plain") -> BrokerAddress:
        """Returns where the broker of `profile` is; starts it if need be; raises BrokerError."""
        return BrokerAddress.from_dict(self._ask("address", profile)["address"])

    @contextmanager
    def lease(self, profile: str = "plain") -> Iterator[BrokerAddress]:
        """The broker of `profile`, which stays while the block runs; raises BrokerError."""
        address = BrokerAddress.from_dict(self._ask("lease", profile)["address"])
        try:
            yield address
        finally:
            self._ask("release", profile)

    def close(self) -> None:
        """Leaves the controller's brokers to the others."""
        self._connection.close()

    def _ask(self, ask: str, profile: str) -> dict[str, Any]:
        try:
            with self._lock:
                self._connection.send_bytes(json.dumps({"ask": ask, "profile": profile}).encode())
                answer: dict[str, Any] = json.loads(self._connection.recv_bytes())
        except _GONE as error:
            raise _no_controller() from error
        if "error" in answer:
            raise BrokerError(answer["error"], hint=answer["hint"])
        return answer


def _no_controller() -> BrokerError:
    return BrokerError(
        "The run's controller, which owns the brokers, does not answer",
        hint="It was ended; run again",
    )
