"""Which broker a run asked for: `--broker embedded|container|URL` and what belongs to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self
from urllib.parse import urlsplit

from touchstone.brokers.interface import Way
from touchstone.errors import BrokerError

_ADMIN = {"pulsar": ("http", 8080), "pulsar+ssl": ("https", 8443)}


@dataclass(frozen=True)
class BrokerSettings:
    """The way to a broker; plain data, so that workers of a run can be told.

    `log_folder` keeps the logs of embedded brokers after the run. `service_url` and `admin_url` are
    of an external broker, `token` and `trust_certificate` (path of a PEM file) get into it.
    """

    way: Way = "embedded"
    service_url: str = ""
    admin_url: str = ""
    token: str | None = field(default=None, repr=False)
    trust_certificate: str | None = None
    offline: bool = False
    log_folder: str | None = None

    @classmethod
    def parse(
        cls,
        option: str,
        *,
        admin_url: str | None = None,
        token: str | None = None,
        trust_certificate: str | None = None,
        offline: bool = False,
        log_folder: str | None = None,
    ) -> Self:
        """Returns the settings for `option`: `embedded`, `container` or a `pulsar[+ssl]://` URL.

        Without `admin_url` an external broker's admin API is sought on its host, port 8080, with
        TLS 8443. Raises BrokerError.
        """
        if option in ("embedded", "container"):
            unfit = {"admin URL": admin_url, "token": token, "trust certificate": trust_certificate}
            for name, value in unfit.items():
                if value is not None:
                    raise BrokerError(
                        f"The {name} is for an external broker, but the broker is {option!r}",
                        hint="Give the broker's URL too, as in --broker pulsar://HOST:6650",
                    )
            way: Way = "embedded" if option == "embedded" else "container"
            return cls(way=way, offline=offline, log_folder=log_folder)
        url = urlsplit(option)
        if url.scheme not in _ADMIN or not url.hostname:
            raise BrokerError(
                f"--broker {option!r} is no broker",
                hint="Allowed: embedded, container, pulsar://HOST:PORT, pulsar+ssl://HOST:PORT",
            )
        scheme, port = _ADMIN[url.scheme]
        host = f"[{url.hostname}]" if ":" in url.hostname else url.hostname
        return cls(
            way="external",
            service_url=option.rstrip("/"),
            admin_url=(admin_url or f"{scheme}://{host}:{port}").rstrip("/"),
            token=token,
            trust_certificate=trust_certificate,
            offline=offline,
            log_folder=log_folder,
        )

    def to_dict(self) -> dict[str, Any]:
        """Returns plain data for `from_dict`, the token included."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Returns the settings that `to_dict` described."""
        return cls(**data)
