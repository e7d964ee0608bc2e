"""A pipe with an object of every kind behind it, both of whose ends are in this process."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

from jms_brokers.errors import BrokerError
from jms_clients.remote_objects import Peer
from jmsapi import IllegalStateException, JMSException, Queue, TemporaryQueue

TIMEOUT = 5.0


class NamedQueue(TemporaryQueue):
    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def queue_name(self) -> str:
        return self._name

    def delete(self) -> None:
        raise JMSException("it has consumers", "E7")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Queue) and other.queue_name == self._name

    def __hash__(self) -> int:
        return hash(self._name)


class Served:
    """Something of everything that an object of a client does."""

    def __init__(self) -> None:
        self.setting: object = None
        self.threads: list[int] = []
        self.listener: Callable[..., object] | None = None
        self.closed = False

    def same(self, value: object) -> object:
        return value

    def kind(self, value: object) -> str:
        return type(value).__name__

    def queue(self, name: str = "q") -> NamedQueue:
        return NamedQueue(name)

    def name_of(self, queue: Queue) -> tuple[bool, str]:
        return isinstance(queue, TemporaryQueue), queue.queue_name

    def names(self) -> Iterator[str]:
        yield from ("a", "b")

    def fail(self, error: str) -> None:
        match error:
            case "jms":
                raise IllegalStateException("closed", "42") from ValueError("the cause")
            case "own":
                raise OwnError("inside")
            case "stop":
                raise BrokerError("gone", hint="start it")
            case "key":
                raise KeyError("k")
            case "picky":
                raise PickyError(1, 2)

    def note_thread(self) -> None:
        self.threads.append(threading.get_ident())

    def call_back(self, depth: int) -> object:
        self.threads.append(threading.get_ident())
        assert self.listener is not None
        return self.listener(self, depth)

    def wait(self, event: Any) -> bool:
        return bool(event.wait(TIMEOUT))

    def __enter__(self) -> Served:
        return self

    def __exit__(self, *_: object) -> None:
        self.closed = True

    def _private(self) -> str:
        return "secret"


class OwnError(IllegalStateException):
    """A provider's own subclass."""


class PickyError(UnicodeError):
    """Known by its base class alone."""

    def __init__(self, first: int, second: int) -> None:
        super().__init__(first, second)


class Pipe:
    def __init__(self) -> None:
        self.sockets = socket.socketpair()
        self.served = Served()
        self.near = Peer(self.sockets[0], side="near")
        self.far = Peer(self.sockets[1], side="far", offer=self.served)
        self.threads = [
            threading.Thread(target=each.read, daemon=True) for each in (self.near, self.far)
        ]
        for thread in self.threads:
            thread.start()
        self.remote = self.near.root()

    def hang_up(self) -> None:
        for end in self.sockets:
            end.shutdown(socket.SHUT_RDWR)
        for thread in self.threads:
            thread.join(TIMEOUT)
        self.near.end("the other side hung up")
        self.far.end("the other side hung up")
        for end in self.sockets:
            end.close()
