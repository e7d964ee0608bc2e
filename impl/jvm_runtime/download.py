"""Downloads jars from a Maven repository; whether they are what a lock says is for `fetch`.

`TOUCHSTONE_MAVEN_URL` names a company's mirror, `HTTPS_PROXY` and `SSL_CERT_FILE` the way to it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from jvm_runtime.cache import cache_error
from jvm_runtime.jvm_errors import NetworkError
from jvm_runtime.locks import Jar
from jvm_runtime.progress import Advance

if TYPE_CHECKING:
    import httpx

_PUBLIC: Final = "https://repo.maven.apache.org/maven2"
_SILENCE: Final = 30.0
"""Seconds in which a repository has to say something."""

Download = Callable[[Jar], Path]


def repository_url() -> str:
    """The repository of Maven: the mirror that TOUCHSTONE_MAVEN_URL names, or the public one."""
    return _mirror() or _PUBLIC


def _mirror() -> str:
    return os.environ.get("TOUCHSTONE_MAVEN_URL", "").rstrip("/")


@contextmanager
def downloading(incoming: Path, advance: Advance) -> Iterator[Download]:
    """Yield what downloads one jar below `incoming` and return its path; any thread may call it.

    It raises NetworkError when a repository did not give the jar twice, CacheError when the disk
    does not take it.
    """
    import httpx

    mirror = _mirror()
    source = mirror or "the public Maven repository"

    def download(jar: Jar) -> Path:
        path = incoming / jar.path
        url = f"{repository_url()}/{jar.path}"
        try:
            try:
                return _download(client, url, path, jar.size, advance)
            except httpx.HTTPError:
                return _download(client, url, path, jar.size, advance)
        except httpx.HTTPStatusError as error:
            raise _not_there(jar, source) from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise _no_answer(jar, source, error) from error
        except OSError as error:
            raise cache_error(error, path) from error

    with httpx.Client(
        follow_redirects=True, timeout=_SILENCE, headers={"Accept-Encoding": "identity"}
    ) as client:
        yield download


def _download(client: httpx.Client, url: str, path: Path, size: int, advance: Advance) -> Path:
    """One attempt; of what is longer than the lock says only a little more is taken."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with client.stream("GET", url) as answer, path.open("wb") as file:
        answer.raise_for_status()
        for part in answer.iter_bytes():
            file.write(part)
            advance(len(part))
            if file.tell() > size:
                break
    return path


def _no_answer(jar: Jar, source: str, error: Exception) -> NetworkError:
    return NetworkError(
        f"{jar.coordinates} could not be fetched from {source} ({type(error).__name__})",
        hint="Look at the network and its proxy settings (HTTPS_PROXY), name a mirror with "
        "TOUCHSTONE_MAVEN_URL, or take a broker that runs elsewhere (--broker pulsar://HOST:PORT)",
    )


def _not_there(jar: Jar, source: str) -> NetworkError:
    return NetworkError(
        f"{source} does not give {jar.coordinates}",
        hint="Does TOUCHSTONE_MAVEN_URL name the root of a Maven repository that mirrors the "
        "public one?",
    )
