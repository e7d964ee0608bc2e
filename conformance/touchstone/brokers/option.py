"""`--broker` as people write it: one of our own, by name or by URL, with what gets in."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from jms_brokers.brokers.interface import Way
from jms_brokers.errors import BrokerError
from jms_brokers.machine.secrecy import hide_secrets, learn_url
from jms_brokers.shared.interface import Family
from jms_brokers.shared.registry import family_named, family_names
from jms_brokers.shared.settings import USUAL, BrokerSettings
from touchstone.brokers import detached
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

    An option is `embedded`, `embedded:VERSION`, `container`, `detached`, `detached:NAME` or a
    service URL, for a broker of any family, or one of these after `FAMILY=`. A detached broker is
    one that `touchstone broker start` has started: what gets in is known of it. Without `admin_url`
    the administration of an external broker is sought where its family usually has it. Raises
    BrokerError.
    """
    wanted = family_named(family)
    for option in options:
        learn_url(option)
    chosen = chosen_of(options, family)
    if is_known(chosen):
        unfit = {"admin URL": admin_url, "token": token, "trust certificate": trust_certificate}
        for name, value in unfit.items():
            if value is not None and all(is_known(_parts(option)[1]) for option in options):
                raise BrokerError(
                    f"The {name} is for an external broker, but the broker is {chosen!r}",
                    hint=f"Give the broker's URL too, as in --broker {_urls(wanted)[0]}",
                )
    if _is_detached(chosen):
        _, mark, name = chosen.partition(":")
        return _of_detached(name if mark else None, wanted, offline=offline, log_folder=log_folder)
    way, version = _own_way(chosen)
    if way is not None:
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
            hint="Allowed: embedded, embedded:VERSION, container, detached:NAME, "
            f"{', '.join(_urls(wanted))}; with several families FAMILY=URL",
        )
    host = f"[{url.hostname}]" if ":" in url.hostname else url.hostname
    hosts = url.netloc.rpartition("@")[2].split(",")
    port = wanted.schemes[url.scheme]
    places = [f"{each}:{port}" if _WITHOUT_PORT.fullmatch(each) else each for each in hosts]
    return BrokerSettings(
        way="external",
        service_url=url._replace(netloc=",".join(places)).geturl().rstrip("/"),
        admin_url=(admin_url or wanted.admin_url(url.scheme, host)).rstrip("/"),
        token=token,
        trust_certificate=trust_certificate,
        offline=offline,
        log_folder=log_folder,
        family=family,
        user_name=unquote(url.username) if url.username else None,
        password=unquote(url.password) if url.password else None,
    )


def chosen_of(options: Iterable[str], family: str) -> str:
    """Returns the last of the options that is for brokers of `family`, without that family."""
    chosen = "embedded"
    for option in options:
        of, what = _parts(option)
        if of in (None, family):
            chosen = what
    return chosen


def is_known(what: str) -> bool:
    """Whether it asks for a broker of which we know ourselves where it is and what gets in."""
    return _own_way(what)[0] is not None or _is_detached(what)


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


def _is_detached(what: str) -> bool:
    return what.partition(":")[0] == "detached"


def _of_detached(
    name: str | None, family: Family, *, offline: bool, log_folder: str | None
) -> BrokerSettings:
    """The settings for the detached broker of this name, or the only one; raises BrokerError."""
    broker = detached.require(name)
    address = broker.address
    if address.family != family.name:
        raise BrokerError(
            f"The broker {broker.name} is of the family {address.family}, not {family.name}",
            hint=f"Give --broker {address.family}=detached:{broker.name} where clients of several "
            "families run",
        )
    return BrokerSettings(
        way="external",
        service_url=address.service_url,
        admin_url=address.admin_url,
        token=address.token,
        trust_certificate=address.trust_certificate,
        offline=offline,
        log_folder=log_folder,
        family=address.family,
        user_name=address.user_name,
        password=address.password,
    )


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
