"""The child's side of `other_process`: opens a provider and lets the parent use it.

Run as `python -m` this module with FD, the socket to the parent.
It ends when the parent closes that socket, so also when the parent dies.
"""

from __future__ import annotations

import importlib
import os
import socket
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from jms_brokers.brokers.interface import BrokerAddress
from jms_clients.remote_objects import Peer


class Opened:
    """What the parent sees first."""

    def __init__(self) -> None:
        self._stack = ExitStack()

    def open(self, opener: str, spec: str, broker: Mapping[str, Any]) -> Any:
        """The client of the provider that `opener`, as `module:attribute`, gives for `spec`."""
        module, _, attribute = opener.partition(":")
        provider = getattr(importlib.import_module(module), attribute)(spec)
        return self._stack.enter_context(provider.open(BrokerAddress.from_dict(broker)))

    def run(self, function: str, *args: Any) -> Any:
        """What `function`, as `module:attribute`, gives for `args` in this process."""
        module, _, attribute = function.partition(":")
        return getattr(importlib.import_module(module), attribute)(*args)

    def close(self) -> None:
        """Close the client as its provider does."""
        self._stack.close()


def main() -> None:
    """Serve until the parent hangs up."""
    connection = socket.socket(fileno=int(sys.argv[1]))
    Peer(connection, side="child", offer=Opened()).read()
    os._exit(0)  # threads of clients may hang, and nobody is left to wait for them


if __name__ == "__main__":
    main()
