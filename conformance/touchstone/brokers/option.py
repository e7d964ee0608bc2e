"""`--broker embedded[:VERSION]|container|URL` as people write it, with what gets in."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from jms_brokers.brokers.interface import Way
from jms_brokers.errors import BrokerError
from jms_brokers.machine.secrecy import hide_secrets, learn_url
from jms_brokers.shared.interface import Family
from jms_brokers.shared.registry import family_named, family_names
from jms_brokers.shared.settings import USUAL, BrokerSettings
from touchstone.errors import UsageError

_WITHOUT_PORT = re.compile(r"\[.*\]|[^:]*")


def broker_settings(
    *options: str,
    family: str = USUAL,
    admin_url: str | None = None,
    token: str | None = None,
    trust_certificate: str | None = None,
    offline: bool = False,
    log_folder: str | None = None,
) -> BrokerSettings:
    """Returns the settings for a broker of `family`; the last fitting of `options` counts.

    An option is `embedded`, `embedded:VERSION`, `container` or a service URL, for a broker of
    any family, or one of these after `FAMILY=`. Without `admin_url` the administration of an
    external broker is sought where its family usually has it. Raises BrokerError.
    """
    wanted = family_named(family)
    chosen = "embedded"
    for option in options:
        learn_url(option)
        of, what = _parts(option)
        if of in (None, family):
            chosen = what
    way, version = _own_way(chosen)
    if way is not None:
        unfit = {"admin URL": admin_url, "token": token, "trust certificate": trust_certificate}
        for name, value in unfit.items():
            if value is not None and all(_own_way(_parts(option)[1])[0] for option in options):
                raise BrokerError(
                    f"The {name} is for an external broker, but the broker is {chosen!r}",
                    hint=f"Give the broker's URL too, as in --broker {_urls(wanted)[0]}",
                )
        if version is not None:
            _require(wanted, version)
        return BrokerSettings(
            way=way,
            family=family,
            offline=offline,
            log_folder=log_folder,
            version=version or "",
        )
    url = urlsplit(chosen)
    if url.scheme not in wanted.schemes or not url.hostname:
        raise BrokerError(
            f"--broker {hide_secrets(chosen)!r} is no broker of the family {family}",
            hint=f"Allowed: embedded, embedded:VERSION, container, {', '.join(_urls(wanted))}; "
            "with several families FAMILY=URL",
        )
    host = f"[{url.hostname}]" if ":" in url.hostname else url.hostname
    hosts = url.netloc.rpartition("@")[2].split(",")
    port = wanted.schemes[url.scheme]
    named = [f"{each}:{port}" if _WITHOUT_PORT.fullmatch(each) else each for each in hosts]
    return BrokerSettings(
        way="external",
        service_url=url._replace(netloc=",".join(named)).geturl().rstrip("/"),
        admin_url=(admin_url or wanted.admin_url(url.scheme, host)).rstrip("/"),
        token=token,
        trust_certificate=trust_certificate,
        offline=offline,
        log_folder=log_folder,
        family=family,
        user_name=unquote(url.username) if url.username else None,
        password=unquote(url.password) if url.password else None,
    )


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
    return (named, what) if mark and named in family_names() else (None, option)


def _own_way(what: str) -> tuple[Way | None, str | None]:
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


def _urls(family: Family) -> list[str]:
    """How URLs of its brokers are written."""
    return [f"{scheme}://HOST:PORT" for scheme in family.schemes]


def _require(family: Family, version: str) -> None:
    """Raises BrokerError where no embedded broker of `family` has this version."""
    if family.locked is None:
        raise BrokerError(
            f"Embedded brokers of the family {family.name} have no versions to choose from",
            hint="The one that is installed is taken: --broker embedded. Another one's URL, or an "
            f"image in `touchstone matrix --broker {family.name}=image:NAME`, names another "
            "version",
        )
    family.locked.require(version)
