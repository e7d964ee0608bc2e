"""How a scenario may end that gives no verdict against the client by itself."""

from __future__ import annotations

from typing import NoReturn

from jms_clients.origins import Origin


class Inconclusive(Exception):
    """The scenario cannot judge; the text is the reason."""


class Withheld(Inconclusive):
    """The broker has a message that it does not deliver."""


class NotApplicable(Exception):
    """The scenario does not concern this client; the text is the reason."""


class Hung(Exception):
    """A call that did not come back in time; `threads` is what every thread was doing.

    `origin` is the client where the call had gone into it and stayed there for as long again, and
    no listener of the scenario was at work meanwhile, for which it may have waited.
    """

    def __init__(self, what: str, seconds: float, threads: str, call: str | None = None) -> None:
        where = "" if call is None else f": {call} of the client does not return"
        super().__init__(f"{what} did not come back within {seconds:g} s{where}")
        self.threads = threads
        self.origin = Origin.HARNESS if call is None else Origin.CLIENT


def not_applicable(reason: str) -> NoReturn:
    """End the scenario: its statement does not concern this client or broker, and why."""
    raise NotApplicable(reason)
