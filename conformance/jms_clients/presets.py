"""Presets: settings that a provider brings so that scenarios need not know its keys; one as text.

A scenario for every client asks for `transactions`; that this is `enableTransaction` of the one and
nothing at all of the other is data of the provider, in its optional attribute `presets`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from jms_clients.errors import ProviderError

PRESETS: Final[Mapping[str, str]] = {
    "transactions": "transacted sessions can be made",
    "quick-redelivery": "what is given back comes again without a wait of the client's own",
    "quick-settlement": "what is acknowledged lazily is acknowledged without such a wait, too",
    "fair-shares": "a consumer fetches little ahead, so that several share what lies on a queue",
    "shared-selectors": "consumers of shared subscriptions take selectors",
    "priorities": "the priority of a message decides when it is delivered",
    "user-ids": "messages tell the name with which their sender logged in",
    "reconnecting": "a client that can find its broker again by itself does so, for a minute",
    "impatient-sends": "a send that the broker does not confirm fails after about a second",
    "few-tries": "what the broker refuses is not asked for again for longer than about a second",
    "logins": "name and password of a call reach the broker",
    "client-id": "the factory gives each connection a client id, of which there is one",
    "trusted-objects": "the client reads objects of every class",
}
"""The closed list of presets, and what holds with them."""


def preset(provider: object, *names: str) -> dict[str, object]:
    """The settings of a provider's presets, laid over each other in order.

    Nothing for a preset that the provider does not bring: it needs no settings for that, or has no
    such facility. `ProviderError` for a name that is not in the closed list.
    """
    own: Mapping[str, Mapping[str, object]] = getattr(provider, "presets", {})
    for name in (*names, *own):
        if name not in PRESETS:
            raise ProviderError(
                f"There is no preset {name!r}", hint=f"The closed list: {', '.join(PRESETS)}."
            )
    settings: dict[str, object] = {}
    for name in names:
        settings = overlaid(settings, own.get(name, {}))
    return settings


def setting_of(text: str) -> tuple[str, object]:
    """Name and value of a setting that is written `name=value`.

    The value is what JSON reads in it (true, false, a number, an object), and else the text itself.
    `ProviderError` where no name is before the sign.
    """
    name, sign, written = text.partition("=")
    if not (name and sign):
        raise ProviderError(f"{text!r} is no setting", hint="Write NAME=VALUE.")
    try:
        return name, json.loads(written)
    except ValueError:
        return name, written


def setting_text(name: str, value: object) -> str:
    """A setting as `setting_of` reads it."""
    return f"{name}={value if isinstance(value, str) else json.dumps(value, default=str)}"


def overlaid(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, object]:
    """Both settings in one; `above` wins, and mappings inside are overlaid likewise."""
    merged: dict[str, Any] = {**below, **above}
    for key in below.keys() & above.keys():
        if isinstance(below[key], Mapping) and isinstance(above[key], Mapping):
            merged[key] = overlaid(below[key], above[key])
    return merged
