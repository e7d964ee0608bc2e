"""Runs a program in a container, joined to the standard input and output of this process.

`python -m jms_brokers.brokers.container_pipe CONTAINER USER PROGRAM [ARGUMENT ...]`: what
`docker exec -i` does, on machines where the engine has no command line. It ends when its input
does, or the program.
"""

from __future__ import annotations

import os
import socket
import sys
import threading

from jms_brokers.brokers import container_engine
from jms_brokers.errors import BrokerError


def join_container(container: str, user: str, program: list[str]) -> None:
    """Run `program` as `user` in `container` until it, or standard input, ends; BrokerError."""
    with container_engine.asking(f"run {program[0]} in the container {container[:12]}"):
        engine = container_engine.client()
        try:
            made = engine.api.exec_create(container, program, stdin=True, user=user)
            stream = engine.api.exec_start(made["Id"], socket=True)
            connection: socket.socket = stream._sock
            connection.settimeout(None)
            threading.Thread(target=_feed, args=(connection,), daemon=True).start()
            _show(connection)
        finally:
            engine.close()


def _feed(connection: socket.socket) -> None:
    while content := os.read(sys.stdin.fileno(), 65536):
        connection.sendall(content)
    connection.shutdown(socket.SHUT_WR)


def _show(connection: socket.socket) -> None:
    from docker.utils.socket import frames_iter

    for stream, content in frames_iter(connection, tty=False):
        out = sys.stdout.buffer if stream == 1 else sys.stderr.buffer
        out.write(content)
        out.flush()


if __name__ == "__main__":
    try:
        join_container(sys.argv[1], sys.argv[2], sys.argv[3:])
    except BrokerError as error:
        sys.exit(str(error))
