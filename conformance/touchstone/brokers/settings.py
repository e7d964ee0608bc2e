"""Which broker a run asked for: `--broker embedded[:VERSION]|container|URL` with what it needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self
from urllib.parse import unquote, urlsplit

from touchstone.brokers.interface import FAMILIES, Family, Way
from touchstone.errors import BrokerError, UsageError
from touchstone.families import locked
from touchstone.secrecy import hidden, learn, learn_url

_SCHEMES: Mapping[str, tuple[str, ...]] = {
    "pulsar": ("pulsar", "pulsar+ssl"),
    "rabbitmq": ("amqp", "amqps"),
    "artemis": ("amqp", "amqps"),
    "activemq": ("amqp",),
}
"""The schemes of service URLs of each family."""
_ADMIN = {"pulsar": ("http", 8080), "pulsar+ssl": ("https", 8443)}


@dataclass(frozen=True)
class BrokerSettings:
    """The way to a broker; plain data, so that workers of a run can be told.

    `version` is that of an embedded broker, empty for the usual one.
    `log_folder` keeps the logs of embedded brokers after the run. `service_url` and `admin_url` are
    of an external broker; `token`, `user_name`, `password` and `trust_certificate` (path of a PEM
    file) get into it.
    """

    way: Way = "embedded"
    service_url: str = ""
    admin_url: str = ""
    token: str | None = field(default=None, repr=False)
    trust_certificate: str | None = None
    offline: bool = False
    log_folder: str | None = None
    family: Family = "pulsar"
    user_name: str | None = None
    password: str | None = field(default=None, repr=False)
    version: str = ""

    def __post_init__(self) -> None:
        """What gets in is no text for people."""
        learn(self.token, self.password)
        learn_url(self.admin_url)

    @classmethod
    def parse(
        cls,
        *options: str,
        family: str = "pulsar",
        admin_url: str | None = None,
        token: str | None = None,
        trust_certificate: str | None = None,
        offline: bool = False,
        log_folder: str | None = None,
    ) -> Self:
        """Returns the settings for a broker of `family`; the last fitting of `options` counts.

        An option is `embedded`, `embedded:VERSION`, `container` or a service URL, for a broker of
        any family, or one of these after `FAMILY=`. Without `admin_url` an external Pulsar's admin
        API is sought on its host, port 8080, with TLS 8443. Raises BrokerError.
        """
        if family not in FAMILIES:
            raise BrokerError(
                f"There are no brokers of the family {family!r}",
                hint=f"A provider names one of {', '.join(FAMILIES)}",
            )
        chosen = "embedded"
        for option in options:
            learn_url(option)
            named, what = _parts(option)
            if named in (None, family):
                chosen = what
        way, version = _own(chosen)
        if way is not None:
            unfit = {"admin URL": admin_url, "token": token, "trust certificate": trust_certificate}
            for name, value in unfit.items():
                if value is not None and all(_own(_parts(option)[1])[0] for option in options):
                    raise BrokerError(
                        f"The {name} is for an external broker, but the broker is {chosen!r}",
                        hint="Give the broker's URL too, as in --broker pulsar://HOST:6650",
                    )
            if version is not None:
                locked.require(family, version)
            return cls(
                way=way,
                family=family,
                offline=offline,
                log_folder=log_folder,
                version=version or "",
            )
        url = urlsplit(chosen)
        if url.scheme not in _SCHEMES[family] or not url.hostname:
            wanted = ", ".join(f"{scheme}://HOST:PORT" for scheme in _SCHEMES[family])
            raise BrokerError(
                f"--broker {hidden(chosen)!r} is no broker of the family {family}",
                hint=f"Allowed: embedded, embedded:VERSION, container, {wanted}; with several "
                "families FAMILY=URL",
            )
        host = f"[{url.hostname}]" if ":" in url.hostname else url.hostname
        guessed = "{}://{}:{}".format(*_with_host(url.scheme, host)) if url.scheme in _ADMIN else ""
        user = url._replace(netloc=url.netloc.rpartition("@")[2])
        return cls(
            way="external",
            service_url=user.geturl().rstrip("/"),
            admin_url=(admin_url or guessed).rstrip("/"),
            token=token,
            trust_certificate=trust_certificate,
            offline=offline,
            log_folder=log_folder,
            family=family,
            user_name=unquote(url.username) if url.username else None,
            password=unquote(url.password) if url.password else None,
        )

    def to_dict(self) -> dict[str, Any]:
        """Returns plain data for `from_dict`, the secrets included."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Returns the settings that `to_dict` described."""
        return cls(**data)


def read_token(path: str | Path) -> str:
    """Returns the token in a file that holds nothing else; raises UsageError."""
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError as error:
        raise UsageError(
            f"The token file {path} cannot be read: {error.strerror}",
            hint="Give --token-file a file that holds the token and nothing else.",
        ) from error


def _parts(option: str) -> tuple[str | None, str]:
    """Returns the family that an option is for, None for every one, and what it asks for."""
    named, mark, what = option.partition("=")
    return (named, what) if mark and named in FAMILIES else (None, option)


def _own(what: str) -> tuple[Way | None, str | None]:
    """Returns the way to a broker of our own, None for others, and its version if one is named."""
    match what.partition(":"):
        case "container", "", "":
            return "container", None
        case "embedded", "", "":
            return "embedded", None
        case "embedded", ":", version:
            return "embedded", version
        case _:
            return None, None


def _with_host(scheme: str, host: str) -> tuple[str, str, int]:
    admin, port = _ADMIN[scheme]
    return admin, host, port
