"""What a RabbitMQ node itself counts, asked in Erlang: AMQP 0-9-1 counts ready messages only.

A small Erlang program joins the node under a name of its own and answers one line for each that it
reads. It ends when its input does, so it never outlives us.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing.connection import wait
from pathlib import Path
from urllib.parse import urlsplit

from jms_brokers.brokers import container_pipe
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.errors import BrokerError
from jms_brokers.families.rabbitmq import readiness as rabbitmq_readiness
from jms_brokers.families.rabbitmq import server as rabbitmq_server
from jms_brokers.families.rabbitmq.product import ADMINISTRATION
from jvm_runtime.own_folders import OwnFolder

_ANSWERS_WITHIN = 15.0
_PROGRAM = """
Node = '{node}',
Text = fun(Hex) -> binary:decode_hex(list_to_binary(Hex)) end,
Call = fun(Module, Function, Arguments) ->
  rpc:call(Node, Module, Function, Arguments, 10000) end,
Items = [messages_ready, messages_unacknowledged, consumers, durable],
Counts = fun({{resource, _, queue, Name}} = Resource) ->
  case Call(rabbit_amqqueue, lookup, [Resource]) of
    {{ok, Queue}} ->
      case Call(rabbit_amqqueue, info, [Queue, Items]) of
        [{{_, Ready}}, {{_, Unacked}}, {{_, Consumers}}, {{_, Durable}}] ->
          io_lib:format("~s ~w ~w ~w ~w ",
            [binary:encode_hex(Name), Ready, Unacked, Consumers, Durable]);
        Other -> io_lib:format("error ~0p ", [Other])
      end;
    {{error, not_found}} -> "";
    Other -> io_lib:format("error ~0p ", [Other])
  end end,
Bound = fun(Host, Key) ->
  case Call(rabbit_binding, list, [Host]) of
    Bindings when is_list(Bindings) ->
      lists:map(Counts, lists:usort([Queue ||
        {{binding, {{resource, _, exchange, From}}, By, {{resource, _, queue, _}} = Queue, _}}
          <- Bindings, By =:= Key, From =/= <<>>]));
    Other -> io_lib:format("error ~0p ", [Other])
  end end,
Users = fun(Resource) ->
  case Call(rabbit_amqqueue, lookup, [Resource]) of
    {{ok, Queue}} ->
      case Call(rabbit_amqqueue, consumers, [Queue]) of
        Consumers when is_list(Consumers) ->
          [[binary:encode_hex(element(tuple_size(Each), Each)), " "] || Each <- Consumers];
        Other -> io_lib:format("error ~0p ", [Other])
      end;
    {{error, not_found}} -> "";
    Other -> io_lib:format("error ~0p ", [Other])
  end end,
Loop = fun Again() ->
  case io:get_line("") of
    Line when is_list(Line) ->
      [What, Host, Name] = string:lexemes(Line, " \\n"),
      Answer = case What of
        "queue" -> Counts({{resource, Text(Host), queue, Text(Name)}});
        "users" -> Users({{resource, Text(Host), queue, Text(Name)}});
        "bound" -> Bound(Text(Host), Text(Name))
      end,
      io:format("~s.~n", [Answer]),
      Again();
    _ -> halt(0)
  end end,
Loop().
"""


@dataclass(frozen=True)
class QueueCounts:
    """Of a queue: messages ready for somebody, and delivered but not acknowledged."""

    ready: int
    unacknowledged: int
    consumers: int
    durable: bool


class NodeView:
    """Counts of the node at `address`, a local one of ours; `BrokerError` for any other."""

    def __init__(self, address: BrokerAddress) -> None:
        self._host = rabbitmq_readiness.virtual_host(address)
        self._lock = threading.Lock()
        self._home = OwnFolder("node")
        home = self._home.path
        try:
            command, environment = _joining(address, home)
        except BaseException:
            self._home.remove()
            raise
        self._process = subprocess.Popen(  # noqa: S603 - the command is ours
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=home,
            env=environment,
            start_new_session=True,
        )

    def counts(self, queue: str) -> QueueCounts | None:
        """The node's own counts of `queue` at this moment; None where there is no such queue."""
        return self._counts("queue", queue).get(queue)

    def bound(self, key: str) -> dict[str, QueueCounts]:
        """By name, the counts of the queues that are bound to some exchange by this key."""
        return self._counts("bound", key)

    def users(self, queue: str) -> list[str]:
        """The users who have made the consumers of `queue`; none where there is no such queue."""
        return [bytes.fromhex(user).decode() for user in self._words("users", queue, 1)]

    def _words(self, what: str, name: str, each: int) -> list[str]:
        """The answer, which has so many words for each thing that it is about."""
        answer = self._ask(f"{what} {self._host.encode().hex()} {name.encode().hex()}\n")
        *words, end = answer.split() or [""]
        if end != "." or "error" in words or len(words) % each:
            raise BrokerError(
                f"The RabbitMQ node does not tell the {what} of {name} ({answer.strip()})",
                hint="Is it running, or paused?",
            )
        return words

    def _counts(self, what: str, name: str) -> dict[str, QueueCounts]:
        words = self._words(what, name, 5)
        return {
            bytes.fromhex(queue).decode(): QueueCounts(
                int(ready), int(unacknowledged), int(consumers), durable == "true"
            )
            for queue, ready, unacknowledged, consumers, durable in zip(
                *(words[at::5] for at in range(5)), strict=True
            )
        }

    def close(self) -> None:
        """End the program."""
        with self._lock:
            for stream in (self._process.stdin, self._process.stdout):
                assert stream is not None
                stream.close()
            self._process.kill()
            self._process.wait()
            self._home.remove()

    def _ask(self, line: str) -> str:
        with self._lock:
            told, heard = self._process.stdin, self._process.stdout
            assert told is not None
            assert heard is not None
            try:
                told.write(line.encode())
                told.flush()
            except (BrokenPipeError, ValueError):
                return "the program has ended"
            if not wait([heard.fileno()], _ANSWERS_WITHIN):
                self._process.kill()  # an answer that comes late is not the next one's
                return f"no answer within {_ANSWERS_WITHIN:g} s"
            return heard.readline().decode(errors="replace")


def _joining(address: BrokerAddress, home: Path) -> tuple[list[str], Mapping[str, str]]:
    """The command line and environment of the program that joins the node at `address`."""
    url = urlsplit(address.admin_url)
    if url.scheme == "epmd" and address.token is not None:
        rabbitmq_server.write_cookie(home, address.token)
        assert url.port is not None
        environment = rabbitmq_server.administration(url.port, home)
        return _command(str(rabbitmq_server.find().erl), url.path[1:]), environment
    if url.scheme == ADMINISTRATION:
        # Inside the container are Erlang, the cookie and the node's ports.
        pipe = [sys.executable, "-m", container_pipe.__name__, url.netloc, "rabbitmq"]
        return [*pipe, *_command("erl", url.path[1:])], os.environ
    raise BrokerError(
        f"What is delivered but not acknowledged cannot be seen on {address.service_url}",
        hint="A RabbitMQ that the harness starts itself tells: --broker embedded or container",
    )


def _command(erl: str, node: str) -> list[str]:
    return [
        erl,
        "-noshell",
        "-hidden",
        *("-boot", "start_clean"),
        *(
            "-start_epmd",
            "false",
        ),  # one that it started would outlive it, on the port of the node's
        *("-sname", f"touchstone-view-{secrets.token_hex(6)}@localhost"),
        *("-kernel", "inet_dist_use_interface", "{127,0,0,1}"),
        *("-eval", _PROGRAM.format(node=node)),
    ]
