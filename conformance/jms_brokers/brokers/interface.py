"""What a broker is to everybody else: an address to connect to and a few things to do to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Protocol, Self
from urllib.parse import urlsplit

from jms_brokers.errors import BrokerError
from jms_brokers.machine.secrecy import learn, learn_url

_USUAL_PORTS = {"http": 80, "https": 443}

Way = Literal["embedded", "container", "external"]


@dataclass(frozen=True)
class BrokerAddress:
    """Where a running broker is and how to get in; plain data, so it travels between processes.

    `service_url` has a port. `admin_url` is empty where the family has no administration over HTTP.

    `token` is the harness's own (of the super-user role where the profile has roles);
    `role_tokens` maps role names to tokens or, where `users_log_in`, to the passwords of the users
    of these names. None is ever shown, nor is `password`.
    `trust_certificate` is the path of a PEM file. `pid` and `log` (a path) are known for
    embedded brokers only.
    """

    service_url: str
    admin_url: str
    profile: str
    way: Way
    version: str
    family: str
    token: str | None = field(default=None, repr=False)
    role_tokens: Mapping[str, str] = field(default_factory=dict, repr=False)
    trust_certificate: str | None = None
    pid: int | None = None
    log: str | None = None
    user_name: str | None = None
    password: str | None = field(default=None, repr=False)
    users_log_in: bool = False

    def __post_init__(self) -> None:
        """What gets in is no text for people, in any process that has the address."""
        learn(self.token, self.password, *self.role_tokens.values())
        learn_url(self.admin_url)

    @property
    def service_port(self) -> int:
        """The port of the service URL."""
        return _port(self.service_url)

    @property
    def admin_port(self) -> int:
        """The port of the admin URL."""
        return _port(self.admin_url)

    def token_of(self, role: str) -> str:
        """Return the token of `role`; raises BrokerError if this broker gives none for it."""
        try:
            return self.role_tokens[role]
        except KeyError:
            known = ", ".join(sorted(self.role_tokens)) or "none"
            raise BrokerError(
                f"The {self.way} broker {self.service_url} has no token for the role {role!r}",
                hint=f"Roles with a token here: {known}. The profile 'auth' has them all",
            ) from None

    def as_role(self, role: str) -> Self:
        """Return the address with the rights of `role`; raises BrokerError as `token_of`."""
        proof = self.token_of(role)
        if self.users_log_in:
            return replace(self, user_name=role, password=proof)
        return replace(self, token=proof)

    def login_of(self, role: str) -> tuple[str, str]:
        """Return user name and password of `role`; raises BrokerError as `token_of`.

        Where users do not log in, the password is `token:` and the token.
        """
        proof = self.token_of(role)
        return role, proof if self.users_log_in else f"token:{proof}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for `from_dict`; with the tokens, so not for people."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the address that `to_dict` described."""
        return cls(**data)


def _port(url: str) -> int:
    parts = urlsplit(url)
    return parts.port or _USUAL_PORTS[parts.scheme]


class Broker(Protocol):
    """One broker. Used as a context manager it is started and, at the end, closed."""

    @property
    def address(self) -> BrokerAddress:
        """Where the broker is or, once ended, was; raises BrokerError before the first start."""

    @property
    def log(self) -> Path | None:
        """The broker's own log, if this process can see it."""

    def start(self) -> BrokerAddress:
        """Start the broker, on its old data if it ran before; return when it is ready."""

    def stop(self) -> None:
        """End the broker in good order; its data stay for the next start."""

    def kill(self) -> None:
        """End the broker at once, as a crash would; its data stay for the next start."""

    def restart(self) -> BrokerAddress:
        """Stop and start the broker: same address, same data."""

    def pause(self) -> None:
        """Freeze the broker: connections stay open and nothing answers."""

    def resume(self) -> None:
        """Let a paused broker go on."""

    def close(self) -> None:
        """End the broker and forget its data."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...
