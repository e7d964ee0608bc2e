"""The container engine: how it is reached, which image is taken, and its refusals in words.

Everything that asks the engine does so inside `asking`, so that each way to fail is one
`BrokerError` that says what to do. The extra `containers` is needed.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jms_brokers.brokers.child_process import PortTakenError
from jms_brokers.errors import BrokerError

if TYPE_CHECKING:
    from docker.client import DockerClient

_PULL_SILENCE = 60
"""Seconds without a word from the registry after which a pull is given up."""
_PORT_TAKEN = re.compile(r"port is already allocated|address already in use", re.IGNORECASE)
_NO_PERMISSION = re.compile(r"permission denied|PermissionError", re.IGNORECASE)
_NO_MEMORY = re.compile(r"cannot allocate memory|Minimum memory limit", re.IGNORECASE)
_NO_SPACE = re.compile(r"no space left on device", re.IGNORECASE)
_OTHERWISE = "or use --broker embedded or --broker SCHEME://HOST:PORT"


@dataclass(frozen=True)
class Images:
    """The images of a family of brokers: the public one, our own (`make images`), and the variable
    that names another.
    """

    public: str
    local: str
    variable: str


def client(*, silence: int = 30) -> DockerClient:
    """Return a connection to the engine that answers within `silence` seconds, to be closed by
    the caller; to be called inside `asking`. Raises BrokerError without the extra.
    """
    require_extra()
    from docker.client import DockerClient

    engine: DockerClient = DockerClient.from_env(timeout=silence)
    return engine


def require_extra() -> None:
    """Raise BrokerError where the extra `containers` is not installed."""
    try:
        import testcontainers.core.container  # noqa: F401 - is it there?
    except ImportError as error:
        raise BrokerError(
            "The extra for containers is not installed",
            hint="pip install 'jms-touchstone[containers]'",
        ) from error


@contextmanager
def asking(what: str) -> Iterator[None]:
    """Turn the engine's refusals and silences in the block into BrokerError; `what` was wanted."""
    try:
        import requests
        from docker.errors import DockerException
    except ImportError as error:
        raise BrokerError(
            "The extra for containers is not installed",
            hint="pip install 'jms-touchstone[containers]'",
        ) from error
    try:
        yield
    except (DockerException, requests.RequestException, OSError) as error:
        raise explain_error(what, error) from error


def engine_address() -> str:
    """Return the address of the engine."""
    return os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")


def explain_error(what: str, error: Exception) -> BrokerError:
    """Return the error of the engine, or of the way to it, when it should do `what`."""
    text = str(getattr(error, "explanation", None) or error)
    if _NO_PERMISSION.search(text) and getattr(error, "response", None) is None:
        return BrokerError(
            f"This user may not use the container engine at {engine_address()}",
            hint="Add the user to the group of the socket (`usermod -aG docker USER`, then log in "
            f"again), or run a rootless engine and set DOCKER_HOST, {_OTHERWISE}",
        )
    if getattr(error, "response", None) is None:
        return BrokerError(
            f"No container engine answers at {engine_address()}: it could not {what} ({text})",
            hint="Start a container engine (`docker info` must work for this user; DOCKER_HOST "
            f"names another one), {_OTHERWISE}",
        )
    refused = f"The container engine could not {what} ({text})"
    if _PORT_TAKEN.search(text):
        return PortTakenError(refused, hint="A port is taken: end what listens there")
    if _NO_MEMORY.search(text):
        return BrokerError(
            refused, hint="Free some memory, or give the broker more (TOUCHSTONE_CONTAINER_MEMORY)"
        )
    if _NO_SPACE.search(text):
        return BrokerError(refused, hint="Free some space where the engine keeps its data")
    return BrokerError(refused, hint="`docker info` and the engine's own log may say why")


_chosen: dict[Images, str] = {}
_choosing = threading.Lock()


def image(images: Images) -> str:
    """Return the image to start, there already or pulled now; raises BrokerError.

    The one that `images.variable` names; else the public one; else, where that cannot be pulled,
    our own, and says so on standard error. The choice holds for this process.
    """
    with _choosing:
        if named := os.environ.get(images.variable):
            require_image(named, f", which {images.variable} names")
            return named
        if images not in _chosen:
            _chosen[images] = _public_or_local(images)
        return _chosen[images]


def require_image(name: str, where: str = "") -> None:
    """Pull the image `name` unless it is there; raises BrokerError, which says `where` it is
    named.
    """
    why = _not_to_be_had(name)
    if why:
        raise BrokerError(
            f"There is no image {name}{where}: {why}",
            hint="Name another image, or pull or build it first (`make images`)",
        )


def _public_or_local(images: Images) -> str:
    why = _not_to_be_had(images.public)
    if not why:
        return images.public
    if not _is_here(images.local):
        raise BrokerError(
            f"The image {images.public} cannot be pulled ({why}), and there is no {images.local}",
            hint="`make images` in a checkout of Touchstone makes it without a registry; "
            f"{images.variable} names any other image",
        )
    print(  # noqa: T201 - people shall know which broker they see
        f"{images.public} cannot be pulled: {images.local}, made by `make images`, is used",
        file=sys.stderr,
        flush=True,
    )
    return images.local


def _is_here(name: str) -> bool:
    from docker.errors import ImageNotFound

    with asking(f"look for the image {name}"):
        engine = client()
        try:
            engine.images.get(name)
        except ImageNotFound:
            return False
        finally:
            engine.close()
    return True


def _not_to_be_had(name: str) -> str:
    """Why the image is neither here nor can be pulled; empty when it is here now."""
    if _is_here(name):
        return ""
    try:
        with asking(f"pull the image {name}"):
            engine = client(silence=_PULL_SILENCE)
            try:
                engine.images.pull(name)
            finally:
                engine.close()
    except BrokerError as error:
        if not isinstance(error.__cause__, Exception) or _is_gone(error.__cause__):
            raise
        return _reason(error.__cause__)
    return ""


def _is_gone(cause: Exception) -> bool:
    """Whether the engine itself did not answer; a slow registry is no such thing."""
    from requests import ReadTimeout

    return getattr(cause, "response", None) is None and not isinstance(cause, ReadTimeout)


def _reason(cause: Exception) -> str:
    return str(getattr(cause, "explanation", None) or cause).strip()
