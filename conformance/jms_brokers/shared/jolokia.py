"""What a broker's beans report, read over HTTP: Jolokia's agent in its process.

None of the client under test is involved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx

from jms_brokers.brokers.http_trust import trusted_authority
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.errors import BrokerError

_AGENT = "jolokia-agent-jvm"
_TIMEOUT = 20.0
_NOTHING_FITS = 404


def agent_url(host: str, port: int) -> str:
    """Where an agent with the option below is asked: the broker's `admin_url`."""
    return f"http://{host}:{port}/jolokia"


def agent_option(class_path: Sequence[Path], host: str, port: int, policy: Path) -> str:
    """The option by which Java starts the agent that is among the jars of `class_path`.

    `policy` is the file that says what it allows.
    """
    (agent,) = (jar for jar in class_path if jar.name.startswith(_AGENT))
    settings = f"host={host},port={port},discoveryEnabled=false,policyLocation={policy.as_uri()}"
    return f"-javaagent:{agent}={settings}"


class Agent:
    """The agent of one broker."""

    def __init__(self, address: BrokerAddress) -> None:
        self._url = f"{address.admin_url}/"
        self._client = httpx.Client(
            timeout=_TIMEOUT, verify=trusted_authority(address), trust_env=False
        )

    def ask(self, question: Mapping[str, object]) -> Any:
        """What it answers, None where no bean fits; raises BrokerError."""
        try:
            answer = self._client.post(self._url, json=question).json()
        except (httpx.HTTPError, ValueError) as error:
            raise BrokerError(
                f"The agent at {self._url} did not tell of the broker's beans ({error!r})",
                hint="Is the broker running? Its log may say more.",
            ) from error
        if answer["status"] == _NOTHING_FITS:
            return None
        if answer["status"] != httpx.codes.OK:
            raise BrokerError(
                f"The agent at {self._url} refused to tell of the broker's beans: "
                f"{answer.get('error')}",
                hint="Only an embedded broker lets its beans be read.",
            )
        return answer["value"]

    def close(self) -> None:
        """Give the connections back."""
        self._client.close()
