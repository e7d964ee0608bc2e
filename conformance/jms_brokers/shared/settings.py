"""Which broker a run asked for, and what gets into it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Self

from jms_brokers.brokers.interface import Way
from jms_brokers.machine.secrecy import learn, learn_url

USUAL: Final = "pulsar"
"""The family of a broker that is asked for without a client that names one."""


@dataclass(frozen=True)
class BrokerSettings:
    """The way to a broker; plain data, so that workers of a run can get it.

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
    family: str = USUAL
    user_name: str | None = None
    password: str | None = field(default=None, repr=False)
    version: str = ""

    def __post_init__(self) -> None:
        """What gets in is no text for people."""
        learn(self.token, self.password)
        learn_url(self.admin_url)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for `from_dict`, the secrets included."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the settings that `to_dict` described."""
        return cls(**data)
