"""A local RabbitMQ server: where its parts are, and what makes a node of it that is ours alone.

`TOUCHSTONE_RABBITMQ_SERVER` names another start script than that of the distribution's package.
"""

from __future__ import annotations

import importlib.util
import os
import secrets
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from jms_brokers.brokers import credentials
from jms_brokers.brokers.limits import NONE, Limits
from jms_brokers.errors import BrokerError
from jms_brokers.families.rabbitmq import accounts as rabbitmq_accounts

HOST = "127.0.0.1"
VARIABLE = "TOUCHSTONE_RABBITMQ_SERVER"
INSTALL_HINT = (
    "Install RabbitMQ (Debian, Ubuntu: `apt-get install rabbitmq-server`; no service need run), "
    f"name its start script with {VARIABLE}, or use --broker container or "
    "--broker amqp://USER:PASSWORD@HOST:PORT"
)
_SCRIPTS = ("/usr/lib/rabbitmq/bin/rabbitmq-server", "/usr/local/sbin/rabbitmq-server")
"""Where packages put the script itself; the one on the path of Debian asks for root."""
_WRAPPER = b"su rabbitmq"
PLUGINS = ("rabbitmq_jms_topic_exchange", "rabbitmq_amqp1_0")
"""For topics of RabbitMQ JMS, and for clients of AMQP 1.0, which nodes before 4.0 know by it."""
USER = "touchstone"
_COOKIE = ".erlang.cookie"
_DEFINITIONS = "definitions.json"
_PASSWORD = "password"  # noqa: S105 - the name of a file


@dataclass(frozen=True)
class Parts:
    """The programs of an installation: the script that starts a node, epmd and erl."""

    script: Path
    epmd: Path
    erl: Path


@dataclass(frozen=True)
class Node:
    """One node: its name, and its ports for clients, for epmd and for other nodes."""

    name: str
    port: int
    epmd_port: int
    distribution_port: int


def find(environment: Mapping[str, str] = os.environ) -> Parts:
    """The parts of RabbitMQ on this machine; `BrokerError` says what is missing."""
    path = environment.get("PATH")
    named = environment.get(VARIABLE)
    on_path = shutil.which("rabbitmq-server", path=path)
    candidates = [named] if named else [*_SCRIPTS, *filter(None, [on_path])]
    script = next((Path(each) for each in candidates if _starts_a_node(Path(each))), None)
    if script is None:
        raise BrokerError(
            f"{VARIABLE} names {named}, which cannot be run"
            if named
            else "RabbitMQ is not installed: there is no rabbitmq-server",
            hint=INSTALL_HINT,
        )
    programs_by_name = programs(path)
    for name, program in programs_by_name.items():
        if program is None:
            raise BrokerError(
                f"RabbitMQ is installed ({script}), but Erlang's {name} is not on the path",
                hint="Install Erlang (Debian, Ubuntu: `apt-get install erlang-base`)",
            )
    return Parts(script, Path(str(programs_by_name["epmd"])), Path(str(programs_by_name["erl"])))


def programs(path: str | None) -> dict[str, str | None]:
    """Where on the path Erlang's programs are, None for one that is not there."""
    return {name: shutil.which(name, path=path) for name in ("epmd", "erl")}


def obstacle() -> str:
    """Why no node can be started here, with what to do; empty when one can."""
    if importlib.util.find_spec("pika") is None:
        return "pika is not installed: pip install 'jms-touchstone[rabbitmq]'"
    try:
        find()
    except BrokerError as error:
        return f"{error.what}: {error.hint}"
    return ""


def _starts_a_node(script: Path) -> bool:
    """Whether `script` can be run and is not the one that changes the user first."""
    try:
        return os.access(script, os.X_OK) and _WRAPPER not in script.read_bytes()
    except OSError:
        return False


def new_name() -> str:
    """A name that no other node has."""
    return f"touchstone-{secrets.token_hex(6)}@localhost"


def prepare(node: Node, folder: Path, passwords: Mapping[str, str], limits: Limits = NONE) -> None:
    """Write the settings of `node` and its secrets into `folder`.

    `passwords` are those of the roles; without any, `USER` has a password of its own.
    """
    for name in (_COOKIE, _PASSWORD):
        if not (folder / name).exists():
            _write_secret(folder / name, credentials.make_password())
    if passwords or limits != NONE:
        users = passwords or {USER: password(folder)}
        credentials.write(folder / _DEFINITIONS, rabbitmq_accounts.definitions(users, limits))
        login = rabbitmq_accounts.settings(str(folder / _DEFINITIONS), limits)
    else:
        login = f"default_user = {USER}\ndefault_pass = {password(folder)}\n"
    (folder / "rabbitmq.conf").write_text(settings(node) + login)
    (folder / "rabbitmq.conf").chmod(0o600)
    (folder / "enabled_plugins").write_text(f"[{', '.join(PLUGINS)}].\n")


def write_cookie(folder: Path, cookie: str) -> None:
    """Let programs of Erlang whose home is `folder` administer the node with this secret."""
    _write_secret(folder / _COOKIE, cookie)


def _write_secret(file: Path, secret: str) -> None:
    file.touch(mode=0o600)
    file.write_text(secret)
    file.chmod(0o400)


def cookie(folder: Path) -> str:
    """The secret that lets programs of Erlang administer the node of this folder."""
    return (folder / _COOKIE).read_text()


def password(folder: Path) -> str:
    """The password of `USER` at the node of this folder."""
    return (folder / _PASSWORD).read_text()


def settings(node: Node) -> str:
    """The content of rabbitmq.conf without its users: loopback only, all logged to the console."""
    return "\n".join(
        (
            f"listeners.tcp.1 = {HOST}:{node.port}",
            f"distribution.listener.interface = {HOST}",
            "disk_free_limit.absolute = 1MB",
            "log.file = false",
            "log.console = true",
            "log.console.level = warning",
            "",
        )
    )


def environment(
    node: Node, folder: Path, inherited: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """The environment of `node`: nothing of the machine's own node, and no variables of ours."""
    return {
        **administration(node.epmd_port, folder, inherited),
        "RABBITMQ_NODENAME": node.name,
        "RABBITMQ_DIST_PORT": str(node.distribution_port),
        "RABBITMQ_MNESIA_BASE": str(folder / "data"),
        "RABBITMQ_LOG_BASE": str(folder / "log"),
        "RABBITMQ_PID_FILE": str(folder / "pid"),
        "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq"),
        "RABBITMQ_ADVANCED_CONFIG_FILE": str(folder / "advanced"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "enabled_plugins"),
        "RABBITMQ_CONF_ENV_FILE": os.devnull,
        # With it the script becomes the node, instead of one more process that watches it.
        "RABBITMQ_ALLOW_INPUT": "1",
        "RABBITMQ_SERVER_START_ARGS": "-noinput +B i",
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": (
            f"+S 2:2 -kernel inet_dist_use_interface {{{HOST.replace('.', ',')}}}"
        ),
    }


def administration(
    epmd_port: int, folder: Path, inherited: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """What a program of Erlang needs to reach the node whose folder this is."""
    kept = {name: inherited[name] for name in ("PATH", "LANG", "TMPDIR") if name in inherited}
    return {
        "LANG": "C.UTF-8",
        **kept,
        "HOME": str(folder),
        "ERL_EPMD_PORT": str(epmd_port),
        "ERL_EPMD_ADDRESS": HOST,
        "ERL_CRASH_DUMP_SECONDS": "0",  # none: the log says what happened
    }
