"""What a RabbitMQ node itself counts, asked in Erlang: AMQP 0-9-1 tells of ready messages only.

A small Erlang program joins the node under a name of its own and answers one line for each that it
reads. It ends when its input does, so it never outlives us.
"""

from __future__ import annotations

import secrets
import select
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from touchstone.brokers import rabbitmq_readiness, rabbitmq_server
from touchstone.brokers.interface import BrokerAddress
from touchstone.errors import BrokerError

_ANSWERS_WITHIN = 15.0
_PROGRAM = """
Node = '{node}',
Text = fun(Hex) -> binary:decode_hex(list_to_binary(Hex)) end,
Call = fun(Function, Arguments) ->
  rpc:call(Node, rabbit_amqqueue, Function, Arguments, 10000) end,
Counts = fun(Host, Name) ->
  case Call(lookup, [{{resource, Host, queue, Name}}]) of
    {{ok, Queue}} ->
      case Call(info, [Queue, [messages_ready, messages_unacknowledged]]) of
        [{{_, Ready}}, {{_, Unacked}}] -> io:format("counts ~w ~w~n", [Ready, Unacked]);
        Other -> io:format("error ~0p~n", [Other])
      end;
    {{error, not_found}} -> io:format("none~n");
    Other -> io:format("error ~0p~n", [Other])
  end end,
Loop = fun Again() ->
  case io:get_line("") of
    Line when is_list(Line) ->
      [Host, Name] = string:lexemes(Line, " \\n"),
      Counts(Text(Host), Text(Name)),
      Again();
    _ -> halt(0)
  end end,
Loop().
"""


@dataclass(frozen=True)
class Counts:
    """Messages of a queue: ready for somebody, and delivered but not acknowledged."""

    ready: int
    unacknowledged: int


class NodeView:
    """Counts of the node at `address`, a local one of ours; `BrokerError` for any other."""

    def __init__(self, address: BrokerAddress) -> None:
        if not address.admin_url.startswith("epmd:") or address.token is None:
            raise BrokerError(
                f"What is delivered but not acknowledged cannot be seen on {address.service_url}",
                hint="A RabbitMQ that the harness starts itself tells: --broker embedded",
            )
        self._host = rabbitmq_readiness.virtual_host(address)
        self._lock = threading.Lock()
        self._home = tempfile.TemporaryDirectory(prefix="touchstone-node-")
        url = urlsplit(address.admin_url)
        home = Path(self._home.name)
        rabbitmq_server.write_cookie(home, address.token)
        assert url.port is not None
        self._process = subprocess.Popen(  # noqa: S603 - the command is ours
            _command(url.path[1:]),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=home,
            env=rabbitmq_server.administration(url.port, home),
            start_new_session=True,
        )

    def counts(self, queue: str) -> Counts | None:
        """The node's own counts of `queue` at this moment; None where there is no such queue."""
        match self._ask(f"{self._host.encode().hex()} {queue.encode().hex()}\n").split():
            case ["counts", ready, unacknowledged]:
                return Counts(int(ready), int(unacknowledged))
            case ["none"]:
                return None
            case answer:
                raise BrokerError(
                    f"The RabbitMQ node does not tell the counts of {queue} ({' '.join(answer)})",
                    hint="Is it running, or paused?",
                )

    def close(self) -> None:
        """End the program."""
        with self._lock:
            for stream in (self._process.stdin, self._process.stdout):
                assert stream is not None
                stream.close()
            self._process.kill()
            self._process.wait()
            self._home.cleanup()

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
            if not select.select([heard], [], [], _ANSWERS_WITHIN)[0]:
                self._process.kill()  # an answer that comes late is not the next one's
                return f"no answer within {_ANSWERS_WITHIN:g} s"
            return heard.readline().decode(errors="replace")


def _command(node: str) -> list[str]:
    return [
        str(rabbitmq_server.find().erl),
        "-noshell",
        "-hidden",
        *("-boot", "start_clean"),
        *("-sname", f"touchstone-view-{secrets.token_hex(6)}@localhost"),
        *("-kernel", "inet_dist_use_interface", "{127,0,0,1}"),
        *("-eval", _PROGRAM.format(node=node)),
    ]
