"""Drawn programs on credentials notice wrong clients, by the statement that they break."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import pytest

from drawn.listed_programs import listed
from drawn.sessions_in_memory import declared_by
from jms_model.credentials import (
    BARE,
    BASIC_PLUGIN,
    CLIENT,
    FILE,
    FORGED,
    JSON,
    LINE_FILE,
    NOBODY,
    ODD,
    PAIR,
    SHORT_FILE,
    TOKEN,
    TOKEN_PLUGIN,
    WORD,
    FactorySettings,
    Login,
    Secret,
)
from jms_scenarios.starlight.security import test_drawn_programs as test_security
from jmsapi import (
    IllegalStateException,
    IllegalStateRuntimeException,
    JMSException,
    JMSRuntimeException,
    JMSSecurityException,
    JMSSecurityRuntimeException,
)
from touchstone.drawn import driving
from touchstone.drawn.credentials.application import Texts
from touchstone.drawn.credentials.judging import PROGRAMS, CredentialsDriver
from touchstone.drawn.credentials.program import Step, programs
from touchstone.drawn.lockstep import Program

DECLARED: Final = declared_by(test_security.test_drawn_programs_on_credentials)
FILES: Final = (FILE, SHORT_FILE, LINE_FILE)
UNCHECKED: Final = {
    IllegalStateException: IllegalStateRuntimeException,
    JMSException: JMSRuntimeException,
    JMSSecurityException: JMSSecurityRuntimeException,
}


@dataclass(eq=False)
class Factory:
    settings: FactorySettings
    first: Login | None = None
    role: str | None = None


@dataclass(eq=False)
class Connection:
    role: str | None
    is_context: bool


class InMemory:
    """The right one; others override what they do wrongly."""

    takes: Sequence[str] = (TOKEN, BARE, *FILES, JSON)
    """The forms of authParams that it knows."""
    logs_in_by: Sequence[str] = (TOKEN,)
    """The forms of passwords that it knows."""
    is_late: bool = False
    """Whether it contacts the broker only when it is used."""

    def __init__(self) -> None:
        self.objects: dict[str, Any] = {}

    def close(self) -> None:
        """Nothing is open."""

    def call(self, step: Step) -> object:
        target: Any = self.objects.get(step.on)
        match step.method:
            case "configure":
                self.objects[step.makes] = Factory(*step.args)
                return None
            case "create":
                api, login = step.args
                try:
                    role = self.created(target, api, login)
                except JMSException as error:
                    raise self.told(error, "context" in api) from error
                self.objects[step.makes] = Connection(role, "context" in api)
                return None
            case "use":
                if target.role in (None, NOBODY):
                    raise self.told(JMSSecurityException("no"), target.is_context)
                return target.role
            case "clients":
                return self.clients()
        return None

    def told(self, error: JMSException, is_context: bool) -> Exception:
        return UNCHECKED[type(error)]("no") if is_context else error

    def clients(self) -> int:
        return 1

    def created(self, factory: Factory, api: str, login: Login) -> str | None:
        if factory.first is not None:
            self.check_repeated(factory, factory.first, login)
            return factory.role
        role = self.role(factory.settings, api, login)
        if role is None and not self.is_late:
            self.was_refused(factory, login)
            raise JMSSecurityException("no")
        factory.first, factory.role = login, role
        return role

    def was_refused(self, factory: Factory, login: Login) -> None:
        """Nothing is kept of it."""

    def check_repeated(self, factory: Factory, first: Login, login: Login) -> None:
        is_same = (login.user, login.password) == (first.user, first.password)
        if self.uses_logins(factory.settings) and not is_same:
            raise IllegalStateException("another login")

    def uses_logins(self, settings: FactorySettings) -> bool:
        return settings.flag in (True, "true")

    def role(self, settings: FactorySettings, api: str, login: Login) -> str | None:
        if self.uses_logins(settings) and (login.user or not login.is_empty):
            return self.by_login(settings, api, login)
        return self.own(settings)

    def by_login(self, settings: FactorySettings, api: str, login: Login) -> str | None:
        if settings.plugin == BASIC_PLUGIN or login.password.form not in self.logs_in_by:
            return None
        return proven(login.password)

    def own(self, settings: FactorySettings) -> str | None:
        if settings.plugin != TOKEN_PLUGIN or settings.params.form not in self.takes:
            return None
        return proven(settings.params)


def proven(secret: Secret) -> str | None:
    return None if secret.of in ("", FORGED) else secret.of


class Late(InMemory):
    is_late = True


class SendsTheNameOfTheFile(InMemory):
    takes = (TOKEN, BARE)


class KeepsTheLineOfTheFile(InMemory):
    takes = (TOKEN, BARE, FILE, SHORT_FILE)


class KnowsNoBareToken(InMemory):
    takes = (TOKEN, *FILES)


class TakesPairs(InMemory):
    def by_login(self, settings: FactorySettings, api: str, login: Login) -> str | None:
        is_word = login.password.form in (WORD, ODD, PAIR)
        return CLIENT if is_word else super().by_login(settings, api, login)


class LogsInByAnyPlugin(InMemory):
    def own(self, settings: FactorySettings) -> str | None:
        return CLIENT if settings.plugin == BASIC_PLUGIN else super().own(settings)


class NoLoginOfConnections(InMemory):
    def by_login(self, settings: FactorySettings, api: str, login: Login) -> str | None:
        if "context" not in api:
            return self.own(settings)
        return super().by_login(settings, api, login)


class NoLoginOfContexts(InMemory):
    def by_login(self, settings: FactorySettings, api: str, login: Login) -> str | None:
        if "context" in api:
            return self.own(settings)
        return super().by_login(settings, api, login)


class FallsBack(InMemory):
    """What the broker does not take is tried again with the factory's own."""

    def by_login(self, settings: FactorySettings, api: str, login: Login) -> str | None:
        return super().by_login(settings, api, login) or self.own(settings)


class AlwaysLogsIn(InMemory):
    def role(self, settings: FactorySettings, api: str, login: Login) -> str | None:
        if login.password.form == TOKEN:
            return proven(login.password)
        return super().role(settings, api, login)


class NeedsAUser(InMemory):
    def by_login(self, settings: FactorySettings, api: str, login: Login) -> str | None:
        return super().by_login(settings, api, login) if login.user else None


class NeedsAsciiUsers(InMemory):
    def by_login(self, settings: FactorySettings, api: str, login: Login) -> str | None:
        is_ascii = (login.user or "").isascii()
        return super().by_login(settings, api, login) if is_ascii else None


class TakesBareTokens(InMemory):
    logs_in_by = (TOKEN, BARE)


class ReadsFilesOfPasswords(InMemory):
    logs_in_by = (TOKEN, FILE)


class AnyLaterLogin(InMemory):
    def check_repeated(self, factory: Factory, first: Login, login: Login) -> None:
        """Nobody looks."""


class ForgetsUsers(InMemory):
    def check_repeated(self, factory: Factory, first: Login, login: Login) -> None:
        if login.password != first.password:
            super().check_repeated(factory, first, login)


class OneCallOnly(InMemory):
    def check_repeated(self, factory: Factory, first: Login, login: Login) -> None:
        if not first.is_empty:
            raise IllegalStateException("a second call")


class KeepsWhatWasRefused(InMemory):
    def was_refused(self, factory: Factory, login: Login) -> None:
        factory.first = login

    def check_repeated(self, factory: Factory, first: Login, login: Login) -> None:
        super().check_repeated(factory, first, login)
        if factory.role is None:
            raise JMSSecurityException("no")


class ManyClients(InMemory):
    def clients(self) -> int:
        return 2


class AnyTextIsTrue(InMemory):
    def uses_logins(self, settings: FactorySettings) -> bool:
        return bool(settings.flag)


class NoTextIsTrue(InMemory):
    def uses_logins(self, settings: FactorySettings) -> bool:
        return settings.flag is True


class CheckedOnly(InMemory):
    def told(self, error: JMSException, is_context: bool) -> Exception:
        return error


WRONG: Final[Sequence[tuple[str, type[InMemory], Sequence[str]]]] = (
    ("SLJ-SEC-009", SendsTheNameOfTheFile, ()),
    ("SLJ-SEC-009", KeepsTheLineOfTheFile, ()),
    ("SLJ-SEC-009", KnowsNoBareToken, ()),
    ("SLJ-SEC-001", TakesPairs, ()),
    ("SLJ-SEC-001", LogsInByAnyPlugin, ()),
    ("SLJ-SEC-002", NoLoginOfConnections, ("SLJ-SEC-005", "SLJ-SEC-006")),
    ("SLJ-SEC-003", NoLoginOfContexts, ("SLJ-SEC-001", "SLJ-SEC-005", "SLJ-SEC-006")),
    ("SLJ-SEC-002", FallsBack, ("SLJ-SEC-001", "SLJ-SEC-006")),
    ("SLJ-SEC-004", AlwaysLogsIn, ("SLJ-SEC-001", "SLJ-SEC-009")),
    ("SLJ-SEC-005", NeedsAUser, ()),
    ("SLJ-SEC-005", NeedsAsciiUsers, ()),
    ("SLJ-SEC-006", TakesBareTokens, ()),
    ("SLJ-SEC-006", ReadsFilesOfPasswords, ()),
    ("SLJ-SEC-007", AnyLaterLogin, ()),
    ("SLJ-SEC-007", ForgetsUsers, ()),
    ("SLJ-SEC-007", OneCallOnly, ()),
    ("SLJ-SEC-007", KeepsWhatWasRefused, ()),
    ("SLJ-SEC-008", ManyClients, ()),
    ("SLJ-CFG-005", AnyTextIsTrue, ()),
    ("SLJ-CFG-005", NoTextIsTrue, ()),
    (
        "SLJ-SEC-001",
        CheckedOnly,
        ("SLJ-SEC-003", "SLJ-SEC-004", "SLJ-SEC-006", "SLJ-SEC-007", "SLJ-SEC-009"),
    ),
)
"""What a client breaks, and what besides."""


@cache
def drawn() -> Sequence[Program]:
    """The programs of every run."""
    return listed(programs(), PROGRAMS, 0)


def accused_by(made: type[InMemory]) -> tuple[set[str], CredentialsDriver]:
    """The statements that a client is accused of, and what ran the programs."""
    driver = CredentialsDriver(lambda _: made())
    told = (JMSException, JMSRuntimeException)
    with patch.object(driving, "is_raised_by_client", lambda error: isinstance(error, told)):
        disagreements = [each for program in drawn() for each in driver.disagreements(program)]
    return {id_ for each in disagreements for id_ in each.ids}, driver


@pytest.mark.parametrize("made", [InMemory, Late])
def test_the_right_one_is_accused_of_nothing_and_all_is_decided(made: type[InMemory]) -> None:
    accused, driver = accused_by(made)
    assert accused == set()
    assert {*driver.decided} == DECLARED


@pytest.mark.parametrize(
    ("id_", "made", "besides"), WRONG, ids=[f"{id_}-{made.__name__}" for id_, made, _ in WRONG]
)
def test_it_is_noticed(id_: str, made: type[InMemory], besides: Sequence[str]) -> None:
    accused, _ = accused_by(made)
    assert accused == {id_, *besides}


def test_no_program_shows_a_token(tmp_path: Path) -> None:
    texts = Texts(tmp_path, lambda role: f"eyJhbG.{role}.c2lnbmF0dXJl")
    for program in drawn():
        for step in program.steps:
            for each in step.args:
                secret = getattr(each, "password", None) or getattr(each, "params", None)
                text = texts.of(secret) if secret is not None and secret.of else None
                assert text is None or (text not in str(program) and "eyJhbG" not in str(step))
    assert all(file.stat().st_mode & 0o077 == 0 for file in tmp_path.iterdir())
