"""What user name and password of create_connection and create_context mean to Pulsar."""

from __future__ import annotations

from dataclasses import dataclass, field

from jmsapi.errors import IllegalStateException, JMSException, JMSSecurityException
from pulsar_jms.implements import implements

LOGIN_FLAG = "jms.useCredentialsFromCreateConnection"
TOKEN_PLUGIN = "org.apache.pulsar.client.impl.auth.AuthenticationToken"  # noqa: S105 (a class)
TOKEN = "token:"  # noqa: S105 (what stands before one)


@dataclass(frozen=True)
class Login:
    """User name and password as the application gave them; neither is ever shown."""

    user_name: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """`JMSException` for what is no text: a session mode, say, which comes first in Java."""
        for name, given in (("user_name", self.user_name), ("password", self.password)):
            if given is not None and not isinstance(given, str):
                raise JMSException(
                    f"{name} is a {type(given).__name__} and has to be a text; a session mode goes "
                    "by name, as create_context(mode=SessionMode.CLIENT_ACKNOWLEDGE)"
                )

    @property
    def is_given(self) -> bool:
        """Whether there is anything to use; null and the empty text are nothing."""
        return bool(self.user_name or self.password)


@implements("SLJ-SEC-001", "SLJ-SEC-002", "SLJ-SEC-003", "SLJ-SEC-005", "SLJ-SEC-006")
def login_params(plugin: str, login: Login) -> str:
    """authParams of a login: its password, which is `token:` and a JSON Web Token.

    `plugin` is authPlugin, whose default here is the one for tokens; any other one cannot be used
    with a login, a `JMSException`. `JMSSecurityException` when the password is no token.
    """
    if plugin.rpartition(".")[2] not in ("", "AuthenticationToken"):
        raise JMSException(
            f"{LOGIN_FLAG}=true takes JSON Web Tokens only, and authPlugin is {plugin!r}; leave "
            "authPlugin out, or the flag, and give its credentials by authParams"
        )
    password = login.password or ""
    if not password.startswith(TOKEN) or password == TOKEN:
        raise JMSSecurityException(
            f"The password is no token: with {LOGIN_FLAG}=true it has to be {TOKEN!r} followed by "
            "a JSON Web Token; the user name does not count"
        )
    return password


@implements("SLJ-SEC-007", "SLJ-SEC-008")
def check_repeated(first: Login, login: Login) -> None:
    """`IllegalStateException` for a login other than that of the factory's first connection."""
    if login.is_given != first.is_given or (
        login.is_given
        and (login.user_name or "", login.password) != (first.user_name or "", first.password)
    ):
        raise IllegalStateException(
            "The first connection of this factory was made with another user name and password, "
            "and a factory has one client of the broker: repeat them, or make another factory"
        )
