"""RabbitMQ as a child process, from the packages of this machine.

The node has a name, folders, ports and an epmd of its own, listens on the loopback address alone,
and ends with the process that started it: the machine's own node, if there is one, is not touched.
"""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import time
from dataclasses import replace
from pathlib import Path

from jms_brokers.brokers import credentials, starts
from jms_brokers.brokers.broker_folders import BrokerFolder
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.brokers.ownership import OwnedBroker
from jms_brokers.brokers.ports import free_ports, require_free
from jms_brokers.brokers.profiles import ADMIN, COMMON, ROLES, profile_of
from jms_brokers.errors import BrokerError
from jms_brokers.families.rabbitmq import readiness, server
from jms_brokers.families.rabbitmq.product import NAME
from jvm_runtime import child

_READY_WITHIN = 120.0
_STOPPED_WITHIN = 30.0
_POLL = 0.05
_TRIES = 5
_LOG_TAIL = 60
_PORT_TAKEN = re.compile(r"eaddrinuse|address already in use|port .* already in use", re.IGNORECASE)
_DISK_FULL = re.compile(r"enospc|No space left on device|Disk quota exceeded")


class LocalRabbitMQ(OwnedBroker):
    """One node of our own; see `Broker` for what its methods do.

    `log` names the file that gets the node's output, by default one in its folder.
    """

    def __init__(self, profile: str = "plain", *, log: Path | None = None) -> None:
        self._profile = profile_of(NAME, COMMON, profile)
        self._passwords = credentials.make_passwords(ROLES if self._profile.secured else ())
        self._kept_log = log
        self._parts = server.find()
        self._own_folder: BrokerFolder | None = None
        self._node: server.Node | None = None
        self._epmd: subprocess.Popen[bytes] | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._address: BrokerAddress | None = None

    @property
    def address(self) -> BrokerAddress:
        """Where the broker is or, once ended, was; raises BrokerError before the first start."""
        if self._address is None:
            raise BrokerError("The RabbitMQ broker has not been started", hint="Start it first")
        return self._address

    @property
    def log(self) -> Path | None:
        """The node's own log; None before the first start."""
        if self._kept_log is not None:
            return self._kept_log
        return self._own_folder.path / "broker.log" if self._own_folder is not None else None

    def start(self) -> BrokerAddress:
        """Start the node and return when it is ready; raises BrokerError."""
        if self._process is not None and self._process.poll() is None:
            raise BrokerError(
                "The RabbitMQ broker runs already", hint="Use restart, or stop it first"
            )
        if self._own_folder is None:
            self._own_folder = BrokerFolder("rabbitmq")
        for attempt in range(1, _TRIES + 1):
            node = self._node or server.Node(server.new_name(), *free_ports(3))
            began = time.monotonic()
            try:
                address = self._start_node(node, self._own_folder.path)
            except _PortTakenError:
                # Only a broker without clients may move to other ports.
                if self._node is not None or attempt == _TRIES:
                    raise
            else:
                self._node, self._address = node, address
                starts.note(address, time.monotonic() - began)
                break
        return self.address

    def stop(self) -> None:
        """End the node with SIGTERM, after half a minute with SIGKILL; the data stay."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End the node with SIGKILL; the data stay."""
        self._end(signal.SIGKILL)

    def restart(self) -> BrokerAddress:
        """Stop the node and start it on the same data and ports."""
        self.stop()
        return self.start()

    def pause(self) -> None:
        """Freeze the node with SIGSTOP."""
        self._running().send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Continue the node with SIGCONT."""
        self._running().send_signal(signal.SIGCONT)

    def close(self) -> None:
        """End the node and remove its data."""
        self._end(signal.SIGKILL)  # nobody wants the data
        if self._own_folder is not None:
            self._own_folder.remove()
            self._own_folder = self._node = self._address = None

    # -- starting

    def _start_node(self, node: server.Node, folder: Path) -> BrokerAddress:
        """Bring epmd and the node up until a message goes through."""
        require_free(node.port, node.epmd_port, node.distribution_port)
        server.prepare(node, folder, self._passwords, self._profile.limits)
        log = self.log
        assert log is not None
        log.parent.mkdir(parents=True, exist_ok=True)
        log_begin = log.stat().st_size if log.exists() else 0
        environment = server.environment(node, folder)
        epmd = (str(self._parts.epmd), "-port", str(node.epmd_port), "-address", server.HOST)
        try:
            self._epmd = child.spawn(epmd, folder=folder, log=log, environment=environment)
            self._await_port(node.epmd_port, self._epmd, log, log_begin)
            self._process = child.spawn(
                (str(self._parts.script),), folder=folder, log=log, environment=environment
            )
            self._await_port(node.port, self._process, log, log_begin)
            return self._identified(node, folder, self._process, log)
        except OSError as error:
            self.kill()
            raise BrokerError(
                f"RabbitMQ could not be started ({error})",
                hint="Look at the disk and the limits on processes and memory of this user",
            ) from error
        except BaseException:
            self.kill()
            raise

    def _identified(
        self, node: server.Node, folder: Path, process: subprocess.Popen[bytes], log: Path
    ) -> BrokerAddress:
        """The address of the node that answers, once a message went through: it must be ours."""
        address = BrokerAddress(
            service_url=f"amqp://{server.HOST}:{node.port}",
            admin_url=f"epmd://{server.HOST}:{node.epmd_port}/{node.name}",
            profile=self._profile.name,
            way="embedded",
            version="",
            family=NAME,
            token=server.cookie(folder),
            pid=process.pid,
            log=str(log),
            user_name=server.USER,
            password=server.password(folder),
            role_tokens=self._passwords,
            users_log_in=True,
        )
        if self._passwords:
            address = address.as_role(ADMIN)
        identity = readiness.pass_a_message(address)
        if node.name.partition("@")[0] not in identity.cluster:
            raise _PortTakenError(
                f"Another broker answers on {address.service_url}", hint="Start again"
            )
        return replace(address, version=identity.version)

    def _await_port(
        self, port: int, process: subprocess.Popen[bytes], log: Path, log_begin: int
    ) -> None:
        deadline = time.monotonic() + _READY_WITHIN
        while not _answers(port):
            if process.poll() is not None:
                raise _explain(_end_in_words(process.returncode), log, log_begin)
            if time.monotonic() > deadline:
                raise _explain(f"was not ready within {_READY_WITHIN:.0f} s", log, log_begin)
            time.sleep(_POLL)

    # -- the processes

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            if self._process.poll() is None:
                self._process.send_signal(how)
                self._process.send_signal(signal.SIGCONT)  # a paused node ends too
                try:
                    self._process.wait(_STOPPED_WITHIN)
                except subprocess.TimeoutExpired:
                    self._process.kill()
                    self._process.wait()
            self._process = None
        if self._epmd is not None:
            self._epmd.kill()
            self._epmd.wait()
            self._epmd = None

    @property
    def alive(self) -> bool:
        """False when a broker that was started has ended by itself."""
        return self._process is None or self._process.poll() is None

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise BrokerError("The RabbitMQ broker is not running", hint="Start it first")
        return self._process


class _PortTakenError(BrokerError):
    """The node's ports were taken between our look and its own."""


def _answers(port: int) -> bool:
    """Whether somebody listens on `port`."""
    try:
        socket.create_connection((server.HOST, port), timeout=1.0).close()
    except OSError:
        return False
    return True


def _end_in_words(status: int) -> str:
    return f"exited with status {status}" if status >= 0 else f"died by {signal.Signals(-status)!r}"


def _explain(what: str, log: Path, log_begin: int) -> BrokerError:
    """Return the error for a start that failed, with the end of what it wrote to its log."""
    with log.open("rb") as stream:
        stream.seek(log_begin)
        text = stream.read().decode(errors="replace")
    tail = "\n".join(text.splitlines()[-_LOG_TAIL:])
    message = f"The RabbitMQ broker {what}; the end of its log {log}:\n{tail}\n"
    if _PORT_TAKEN.search(text):
        return _PortTakenError(message, hint="A port is taken: end what listens there")
    if _DISK_FULL.search(text):
        return BrokerError(
            message,
            hint="The disk is full: free some space, or name a folder on another disk with TMPDIR",
        )
    return BrokerError(message, hint="The log says why; is there memory for it (200 MB)?")
