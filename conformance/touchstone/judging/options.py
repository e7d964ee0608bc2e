"""What a run was asked for, read from pytest's options and checked."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Self

from jms_brokers.machine.secrecy import hide_secrets, learn_settings
from jms_brokers.shared.settings import BrokerSettings
from jms_clients.presets import setting_of, setting_text
from jvm_runtime.javas import locked
from jvm_runtime.jre import OLDEST
from touchstone.brokers.option import broker_settings, chosen_of, is_known, read_token
from touchstone.catalogue import Library
from touchstone.catalogue.items import Scenario, without_case
from touchstone.errors import UsageError


@dataclass(frozen=True)
class ScenarioSelection:
    """Which scenarios were asked for; empty means all."""

    requirements: frozenset[str] = frozenset()
    areas: frozenset[str] = frozenset()
    documents: frozenset[str] = frozenset()
    scenarios: frozenset[str] = frozenset()
    """By their ids; without a case in brackets all of its cases."""
    drawn: bool = False
    """Whether those that judge drawn programs are taken, though nobody named them."""

    def check(self, library: Library) -> None:
        """`UsageError` names what does not exist."""
        for id_ in sorted(self.requirements - library.requirements.keys()):
            raise UsageError(f"There is no requirement {id_!r}", hint=library.like(id_))
        for area in sorted(self.areas.difference(library.areas)):
            known = f"Known: {', '.join(library.areas)}."
            raise UsageError(f"There is no area {area!r}", hint=known)
        for prefix in sorted(self.documents - library.documents.keys()):
            raise UsageError(f"There is no document {prefix!r}", hint=library.prefixes_text)

    def check_scenarios(self, there: Collection[str]) -> None:
        """`UsageError` names a scenario that is not among the ids of those that are there."""
        known = {*there, *map(without_case, there)}
        for name in sorted(self.scenarios - known):
            close = get_close_matches(name, sorted(known), n=3)
            hint = f"Close to it: {', '.join(close)}." if close else "See `touchstone list`."
            raise UsageError(f"There is no scenario {name!r}", hint=hint)

    def takes(self, scenario: Scenario) -> bool:
        """Whether it was asked for."""
        judges = scenario.requirements
        return (
            (self.drawn or not scenario.is_drawn or scenario.id in self.scenarios)
            and (not self.requirements or bool(self.requirements & set(judges)))
            and (not self.areas or scenario.area in self.areas)
            and (
                not self.documents
                or bool(self.documents & {id_.partition("-")[0] for id_ in judges})
            )
            and (
                not self.scenarios
                or bool(self.scenarios & {scenario.id, without_case(scenario.id)})
            )
        )


def check_reason(allow_inconclusive: str | None) -> None:
    """`UsageError` for an --allow-inconclusive that does not say why."""
    if allow_inconclusive is not None and not allow_inconclusive.strip():
        raise UsageError(
            "--allow-inconclusive needs a reason", hint="Say why the run may leave things open."
        )


def java_release(text: str) -> int:
    """The release of Java that `text` names, such as 21; `UsageError` for one that cannot be."""
    if not re.fullmatch(r"[1-9]\d{0,2}", text, re.ASCII) or int(text) < OLDEST:
        raise UsageError(
            f"--java {text} is no Java that clients run on here",
            hint=f"Name a release from {OLDEST} upwards, such as {', '.join(map(str, locked()))}.",
        )
    return int(text)


@dataclass(frozen=True)
class RunOptions:
    """One run's options."""

    provider: str
    broker: BrokerSettings
    broker_options: tuple[str, ...]
    results: Path
    deviations: tuple[Path, ...]
    allow_inconclusive: str | None
    strict_should: bool
    selection: ScenarioSelection
    sample: int | None
    draw: int | None
    all_traces: bool
    seed: int
    timeout: float
    java: int | None = None
    """The release of Java that was asked for."""
    hunt: float = 0.0
    """Seconds for which a scenario goes on to draw programs."""
    replay: int | None = None
    """The only seed by which programs are drawn."""
    shows: tuple[str, ...] = ()
    """What drawn programs have to show, as patterns of their messages; nothing: anything."""
    as_shipped: bool = False
    """Whether what the provider adds to the settings of the client is left out."""
    settings: Mapping[str, object] = field(default_factory=dict)
    """What connections of the client are given besides."""

    @property
    def is_hunt(self) -> bool:
        """Whether other programs are drawn than in every run: what these show may not be met."""
        return self.hunt > 0 or self.replay is not None

    @classmethod
    def of(cls, option: Any, family: str) -> Self:
        """The options as pytest parsed them, for a provider that needs a broker of `family`.

        `UsageError` or `BrokerError` names what is wrong.
        """
        for name in ("sample", "draw"):
            number = getattr(option, f"touchstone_{name}")
            if number is not None and number < 1:
                raise UsageError(
                    f"--{name} {number} leaves no scenario", hint="Give a number from 1 upwards."
                )
        settings = dict(map(setting_of, option.touchstone_setting))
        learn_settings(settings)
        token = None
        if option.touchstone_token_file:
            token = read_token(option.touchstone_token_file)
        check_reason(option.touchstone_allow_inconclusive)
        return cls(
            provider=option.touchstone_provider,
            broker=broker_settings(
                *option.touchstone_broker,
                family=family,
                admin_url=option.touchstone_admin_url,
                token=token,
                trust_certificate=option.touchstone_tls_trust_certs,
                offline=option.touchstone_offline,
            ),
            broker_options=tuple(option.touchstone_broker),
            results=Path(option.touchstone_results_dir),
            deviations=tuple(Path(path) for path in option.touchstone_deviations),
            allow_inconclusive=hide_secrets(option.touchstone_allow_inconclusive),
            strict_should=option.touchstone_strict_should,
            selection=ScenarioSelection(
                frozenset(option.touchstone_requirement),
                frozenset(option.touchstone_area),
                frozenset(option.touchstone_document),
                frozenset(option.touchstone_scenario),
                option.touchstone_drawn,
            ),
            sample=option.touchstone_sample,
            draw=option.touchstone_draw,
            all_traces=option.touchstone_all_traces,
            seed=option.touchstone_seed,
            timeout=option.touchstone_timeout,
            java=None if option.touchstone_java is None else java_release(option.touchstone_java),
            hunt=option.touchstone_hunt,
            replay=option.touchstone_replay,
            shows=tuple(option.touchstone_shows),
            as_shipped=option.touchstone_as_shipped,
            settings=settings,
        )

    def rerun(self, scenario: str, drawn_by: int | None = None) -> str:
        """One line for a shell that runs this scenario again as it was run.

        `drawn_by`: the seed of the programs that showed what was wrong.
        """
        parts = ["touchstone run", f"--provider {self.provider}"]
        parts += ["--as-shipped"] * self.as_shipped
        for name, value in self.settings.items():
            parts.append(f"--setting {shlex.quote(setting_text(name, value))}")
        parts += [f"--java {self.java}"] * (self.java is not None)
        parts += [f"--broker {option}" for option in self.broker_options]
        by_url = not is_known(chosen_of(self.broker_options, self.broker.family))
        if by_url and self.broker.admin_url:
            parts.append(f"--admin-url {self.broker.admin_url}")
        if by_url and self.broker.trust_certificate:
            parts.append(f"--tls-trust-certs {self.broker.trust_certificate}")
        parts += [f"--scenario {shlex.quote(scenario)}", f"--touchstone-seed {self.seed}"]
        if drawn_by is not None:
            parts.append(f"--touchstone-replay {drawn_by}")
        return hide_secrets(" ".join(parts))
