"""Objects of another process, used as if they were here, over one socket with JSON lines.

Both sides are alike: each may call the objects of the other, and while a call is under way the
other may call back (a message listener here, called by a session there). A call and whatever it
causes runs on one *lane*, a pair of threads, one in each process: so a call made from within a
callback arrives on the very thread that waits for that callback, as it would without a pipe.
"""

from __future__ import annotations

import json
import operator
import queue
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from types import MappingProxyType
from typing import Any

from jms_brokers.faults.rules import FaultError
from jms_clients.remote_values import (
    Json,
    OtherProcessError,
    decode,
    decode_error,
    encode,
    encode_error,
    interface,
    interface_of,
)

ROOT = 1
"""The number of the object that a side offers."""

_OPERATIONS: Mapping[str, Callable[..., object]] = MappingProxyType(
    {
        "__call__": lambda target, *args, **kwargs: target(*args, **kwargs),
        "__enter__": lambda target: target.__enter__(),
        "__exit__": lambda target: target.__exit__(None, None, None),
        "__eq__": operator.eq,
        "__hash__": hash,
        "__iter__": iter,
        "__next__": next,
    }
)
"""What may be called besides names without an underscore in front."""


class OtherProcessGone(FaultError):
    """The other process has ended, and its objects with it."""


class Conversation:
    """This side's end of one conversation at a time."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.incoming: queue.SimpleQueue[dict[str, Json] | None] = queue.SimpleQueue()


class Peer:
    """This side of the pipe."""

    def __init__(self, connection: socket.socket, side: str, offer: object = None) -> None:
        """Talk over `connection`, as `side`; the other side can call `offer` first."""
        self._connection = connection
        self._side = side
        self._sending = threading.Lock()
        self._lock = threading.RLock()
        self._lanes: dict[str, Conversation] = {}
        self._idle: list[Conversation] = []
        self._objects: dict[int, object] = {ROOT: offer}
        self._numbers: dict[int, int] = {id(offer): ROOT}
        self._remotes: dict[int, Remote] = {}
        self._thread = threading.local()
        self._gone = ""

    def root(self) -> Any:
        """What the other side offers."""
        return self.named({"owner": "me", "number": ROOT, "is": None})

    def read(self) -> None:
        """Hand out what the other side sends until it ends; for a thread of the caller's."""
        with self._connection.makefile("rb") as lines:
            try:
                for line in lines:
                    match json.loads(line):
                        case {"lane": str(lane)} as message:
                            self._lane(lane).incoming.put(message)
                        case _:
                            raise ValueError("a line that is no message")
            except ConnectionResetError:
                return  # it was killed with something unread
            except (ValueError, RecursionError) as error:
                self.end(f"the other process sent what nobody can read: {error}")

    def end(self, why: str) -> None:
        """Let every call fail from now on, those under way included; `why` is for people."""
        with self._lock:
            self._gone = why
            for lane in self._lanes.values():
                lane.incoming.put(None)

    def ask(self, remote: Remote, do: str, name: str, *args: object, **kwargs: object) -> Any:
        """Let the other side get, set or call something of its object; raises what that raised."""
        lane: Conversation | None = getattr(self._thread, "lane", None)
        inner = lane is not None
        lane = lane or self._idle_lane()
        answer = self._converse(
            lane,
            {
                "do": do,
                "on": encode(remote, self),
                "name": name,
                "args": [encode(each, self) for each in args],
                "kwargs": {key: encode(each, self) for key, each in kwargs.items()},
            },
        )
        if not inner:
            self._idle.append(lane)  # not when interrupted: an answer may still come in on it
        match answer:
            case {"error": error}:
                raise decode_error(error, self)
            case {"method": True}:
                return partial(self.ask, remote, "call", name)
            case {"value": value}:
                return decode(value, self)
        raise OtherProcessError(f"no answer to {do} {name}", hint="this is a defect")

    # -- objects, as remote_values wants them

    def name(self, value: object) -> dict[str, Json]:
        """How to name an object to the other side; it is kept from now on."""
        if type(value) is Remote:
            return {"owner": "you", "number": value._number}
        with self._lock:
            number = self._numbers.setdefault(id(value), len(self._objects) + ROOT)
            self._objects[number] = value
        return {"owner": "me", "number": number, "is": interface_of(value)}

    def named(self, name: Mapping[str, Json]) -> object:
        """The object of this side, or the stand-in for one of the other, that was named.

        Raises `OtherProcessError` for the name of none.
        """
        with self._lock:
            match name:
                case {"owner": "you", "number": int(number)} if number in self._objects:
                    return self._objects[number]
                case {"owner": "me", "number": int(number), "is": (None | str()) as interface_name}:
                    return self._remotes.setdefault(number, Remote(self, number, interface_name))
        raise OtherProcessError(f"there is no object {name!r:.100}", hint="this is a defect")

    # -- lanes

    def _idle_lane(self) -> Conversation:
        with self._lock:
            if self._idle:
                return self._idle.pop()
            lane = Conversation(f"{self._side}{len(self._lanes)}")
            self._lanes[lane.name] = lane
            return lane

    def _lane(self, name: str) -> Conversation:
        with self._lock:
            if name not in self._lanes:
                self._lanes[name] = Conversation(name)
                threading.Thread(
                    target=self._attend, args=(self._lanes[name],), name=f"lane-{name}", daemon=True
                ).start()
            return self._lanes[name]

    def _attend(self, lane: Conversation) -> None:
        """Serve the calls of a lane that the other side opened."""
        self._thread.lane = lane
        with suppress(OtherProcessGone):  # nobody is left to answer
            while (message := lane.incoming.get()) is not None:
                self._serve(lane, message)

    def _converse(self, lane: Conversation, message: dict[str, Json]) -> dict[str, Json]:
        """The answer to `message`, serving what the other side asks before it answers."""
        self._send(lane, message)
        outer = getattr(self._thread, "lane", None)
        self._thread.lane = lane
        try:
            while (incoming := lane.incoming.get()) is not None:
                if "do" not in incoming:
                    return incoming
                self._serve(lane, incoming)
        finally:
            self._thread.lane = outer
        lane.incoming.put(None)  # for the conversation around this one
        raise self._over()

    def _send(self, lane: Conversation, message: dict[str, Json]) -> None:
        line = json.dumps({"lane": lane.name, **message}).encode() + b"\n"
        if self._gone:
            raise self._over()
        try:
            with self._sending:
                self._connection.sendall(line)
        except OSError as error:
            raise OtherProcessGone(f"the other process cannot be reached: {error}") from error

    def _over(self) -> OtherProcessGone:
        return OtherProcessGone(self._gone, hint="its objects cannot be used any more")

    # -- serving

    def _serve(self, lane: Conversation, message: dict[str, Json]) -> None:
        try:
            answer = self._perform(message)
        except Exception as error:
            answer = {"error": encode_error(error, self)}
        self._send(lane, answer)

    def _perform(self, message: dict[str, Json]) -> dict[str, Json]:
        target = decode(message["on"], self)
        name: str = message["name"]
        args = [decode(each, self) for each in message["args"]]
        kwargs = {key: decode(each, self) for key, each in message["kwargs"].items()}
        match message["do"]:
            case "call" if name in _OPERATIONS:
                return {"value": encode(_OPERATIONS[name](target, *args, **kwargs), self)}
            case "call" if not name.startswith("_"):
                return {"value": encode(getattr(target, name)(*args, **kwargs), self)}
            case "get" if not name.startswith("_"):
                value = getattr(target, name)
                if getattr(value, "__self__", None) is target:
                    return {"method": True}
                return {"value": encode(value, self)}
            case "set" if not name.startswith("_"):
                setattr(target, name, *args)
                return {"value": None}
        raise AttributeError(f"{message['do']} {name}: only public names cross the pipe")


class Remote:
    """Stands for an object of the other process: attributes, calls and iteration happen there.

    Where that object is a message or a destination, `isinstance` says so.
    """

    __slots__ = ("_interface", "_number", "_peer")
    _interface: str | None
    _number: int
    _peer: Peer

    def __init__(self, peer: Peer, number: int, interface_name: str | None) -> None:
        object.__setattr__(self, "_peer", peer)
        object.__setattr__(self, "_number", number)
        object.__setattr__(self, "_interface", interface_name)

    @property  # type: ignore[misc]  # read-only here, and may say what it stands for
    def __class__(self) -> type:
        return interface(self._interface) or Remote

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{name} of an object in another process")
        return self._peer.ask(self, "get", name)

    def __setattr__(self, name: str, value: object) -> None:
        self._peer.ask(self, "set", name, value)

    def __call__(self, *args: object, **kwargs: object) -> Any:
        return self._peer.ask(self, "call", "__call__", *args, **kwargs)

    def __eq__(self, other: object) -> bool:
        return self is other or bool(self._peer.ask(self, "call", "__eq__", other))

    def __hash__(self) -> int:
        return int(self._peer.ask(self, "call", "__hash__"))

    def __iter__(self) -> Any:
        return self._peer.ask(self, "call", "__iter__")

    def __next__(self) -> Any:
        return self._peer.ask(self, "call", "__next__")

    def __enter__(self) -> Any:
        return self._peer.ask(self, "call", "__enter__")

    def __exit__(self, *_: object) -> None:
        self._peer.ask(self, "call", "__exit__")

    def __repr__(self) -> str:
        return f"<{self._interface or 'object'} {self._number} of another process>"
