"""How a broker of each family is come by: embedded, in a container, or somebody's own."""

from __future__ import annotations

import os
from itertools import count
from pathlib import Path

from jvm_runtime import fetch, jre, locks
from jvm_runtime.jvm_errors import JvmRuntimeError
from touchstone.brokers.container_engine import Images
from touchstone.brokers.interface import FAMILIES, Broker
from touchstone.brokers.settings import BrokerSettings
from touchstone.errors import BrokerError
from touchstone.families.locked import LOCKED

_numbers = count(1)


def broker_for(settings: BrokerSettings, profile: str = "plain") -> Broker:
    """Returns a broker of `profile`, not started yet, of the family and the way in `settings`.

    As a context manager it is the private broker of a scenario that kills or restarts it; any
    process may have one, and the broker ends with that process. Raises BrokerError.
    """
    match settings.family, settings.way:
        case "pulsar", "embedded":
            from touchstone.families.pulsar.embedded import EmbeddedPulsar

            log = _log_file(settings, profile)
            return EmbeddedPulsar(
                profile, version=settings.version, offline=settings.offline, log=log
            )
        case "pulsar", "container":
            from touchstone.families.pulsar.container import ContainerPulsar

            log = _log_file(settings, profile)
            return ContainerPulsar(profile, offline=settings.offline, log=log)
        case "pulsar", "external":
            from touchstone.families.pulsar.external import ExternalPulsar

            return ExternalPulsar(settings, profile)
        case "artemis", "embedded":
            from touchstone.families.artemis.embedded import EmbeddedArtemis

            log = _log_file(settings, profile)
            return EmbeddedArtemis(
                profile, version=settings.version, offline=settings.offline, log=log
            )
        case "artemis", "container":
            from touchstone.families.artemis.container import ContainerArtemis

            return ContainerArtemis(profile, log=_log_file(settings, profile))
        case "artemis", "external":
            from touchstone.families.artemis.external import ExternalArtemis

            return ExternalArtemis(settings, profile)
        case "activemq", "embedded":
            from touchstone.families.activemq.embedded import EmbeddedActiveMq

            log = _log_file(settings, profile)
            return EmbeddedActiveMq(
                profile, version=settings.version, offline=settings.offline, log=log
            )
        case "rabbitmq", "embedded":
            from touchstone.families.rabbitmq.embedded import LocalRabbitMQ

            return LocalRabbitMQ(profile, log=_log_file(settings, profile))
        case "rabbitmq", "container":
            from touchstone.families.rabbitmq.container import ContainerRabbitMQ

            return ContainerRabbitMQ(profile, log=_log_file(settings, profile))
        case "rabbitmq", "external":
            from touchstone.families.rabbitmq.external import ExternalRabbitMQ

            return ExternalRabbitMQ(settings, profile)
        case family, way:
            raise BrokerError(
                f"There is no {way} broker of the family {family}",
                hint="See `touchstone providers` for what can run here",
            )


def images(family: str) -> Images:
    """Returns the images of brokers of `family`; raises BrokerError where there are none."""
    from touchstone.families.artemis.container import ContainerArtemis
    from touchstone.families.pulsar.container import ContainerPulsar
    from touchstone.families.rabbitmq.container import ContainerRabbitMQ

    match family:
        case "pulsar":
            return ContainerPulsar.images
        case "artemis":
            return ContainerArtemis.images
        case "rabbitmq":
            return ContainerRabbitMQ.images
        case _:
            raise BrokerError(
                f"Brokers of the family {family} are not run in containers",
                hint="Those of pulsar, artemis and rabbitmq are",
            )


def obstacle(family: str) -> str:
    """Why no broker of `family` can be started here, with what to do; empty when one can.

    It looks only: nothing is fetched and nothing started.
    """
    match family:
        case "pulsar" | "artemis" | "activemq":
            return _java_obstacle(LOCKED[family].lock())
        case "rabbitmq":
            from touchstone.families.rabbitmq import server as rabbitmq_server

            return rabbitmq_server.obstacle()
        case _:
            return f"There are no brokers of the family {family}: {', '.join(FAMILIES)} are known"


def _java_obstacle(program: str) -> str:
    """Why an embedded broker with the jars of this lock cannot run."""
    try:
        jre.find_jre()
        lock = locks.load(program)
        if fetch.offline_wanted():
            fetch.fetch(lock, offline=True)
    except JvmRuntimeError as error:
        return f"{error.message}: {error.hint}"
    return ""


def _log_file(settings: BrokerSettings, profile: str) -> Path | None:
    if settings.log_folder is None:
        return None
    name = f"{settings.family}-{profile}-{os.getpid()}-{next(_numbers)}.log"
    return Path(settings.log_folder) / name
