"""How a broker of each family is come by: embedded, in a container, or somebody's own."""

from __future__ import annotations

import os
from itertools import count
from pathlib import Path

from touchstone.brokers.interface import Broker
from touchstone.brokers.settings import BrokerSettings
from touchstone.errors import BrokerError

_numbers = count(1)


def broker_for(settings: BrokerSettings, profile: str = "plain") -> Broker:
    """Returns a broker of `profile`, not started yet, of the family and the way in `settings`.

    As a context manager it is the private broker of a scenario that kills or restarts it; any
    process may have one, and the broker ends with that process. Raises BrokerError.
    """
    match settings.family, settings.way:
        case "pulsar", "embedded":
            from touchstone.brokers.pulsar_embedded import EmbeddedPulsar

            log = _log_file(settings, profile)
            return EmbeddedPulsar(profile, offline=settings.offline, log=log)
        case "pulsar", "container":
            from touchstone.brokers.pulsar_container import ContainerPulsar

            return ContainerPulsar(profile)
        case "pulsar", "external":
            from touchstone.brokers.pulsar_external import ExternalPulsar

            return ExternalPulsar(settings, profile)
        case family, way:
            raise BrokerError(
                f"There is no {way} broker of the family {family}",
                hint="See `touchstone providers` for what can run here",
            )


def _log_file(settings: BrokerSettings, profile: str) -> Path | None:
    if settings.log_folder is None:
        return None
    name = f"{settings.family}-{profile}-{os.getpid()}-{next(_numbers)}.log"
    return Path(settings.log_folder) / name
