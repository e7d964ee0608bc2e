"""As whom Starlight's documents let a connection in: by a factory's settings, or by a login."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from jms_model.answers import Expectation, Permitted, gives, raises, succeeds
from jmsapi.errors import (
    IllegalStateException,
    IllegalStateRuntimeException,
    JMSException,
    JMSRuntimeException,
    JMSSecurityException,
    JMSSecurityRuntimeException,
)

CLIENT, ADMIN, NOBODY, FORGED = "client", "admin", "nobody", "forged"
"""Whose token it is: of three roles, of which the last has no rights, or with a wrong signature."""
PROGRAM: Final = "program"
"""The one object that is there before the program."""
TOKEN_PLUGIN: Final = "org.apache.pulsar.client.impl.auth.AuthenticationToken"  # noqa: S105
BASIC_PLUGIN: Final = "org.apache.pulsar.client.impl.auth.AuthenticationBasic"
NULL, EMPTY, TOKEN, BARE = "null", "the empty text", "'token:' and a token", "a bare token"
FILE, SHORT_FILE, LINE_FILE = "a file's URL", "a file's short URL", "a file that ends with a line"
NO_FILE, JSON, ALONE = "a file that is not there", "JSON with a token", "'token:' alone"
UPPER, SPACE, WORD, ODD = "'TOKEN:' and a token", "' token:' and a token", "a word", "an odd word"
PAIR: Final = "a user and a password"
_OPEN_FORMS: Final = (JSON,)
_OF_TOKENS: Final = (TOKEN, BARE, FILE, SHORT_FILE, LINE_FILE, JSON)
_UNCHECKED: Final[Mapping[type[Exception], type[Exception]]] = {
    JMSException: JMSRuntimeException,
    JMSSecurityException: JMSSecurityRuntimeException,
}


@dataclass(frozen=True, slots=True)
class Secret:
    """What a parameter or a password is, in words: never the text itself."""

    form: str = NULL
    of: str = ""
    """Whose token is in it, if there is one."""

    def __str__(self) -> str:
        return f"{self.form} of {self.of}" if self.of else self.form


@dataclass(frozen=True, slots=True)
class FactorySettings:
    """What a factory is configured with."""

    plugin: str = ""
    params: Secret = Secret()
    flag: bool | str | None = None
    """Whether user names and passwords count; None: it is not set."""

    @property
    def uses_logins(self) -> bool:
        """Whether user names and passwords count."""
        return self.flag is True or self.flag == "true"

    def __str__(self) -> str:
        shown = [] if self.flag is None else [f"the flag {self.flag!r}"]
        plugin = self.plugin.rpartition(".")[2]
        shown += [f"authPlugin {plugin}"] if plugin else []
        shown += [] if self.params.form == NULL else [f"authParams {self.params}"]
        return f"a factory with {', '.join(shown) or 'nothing'}"


@dataclass(frozen=True, slots=True)
class Login:
    """User name and password of a call; of neither: they may be left out, or null."""

    user: str | None = None
    password: Secret = Secret()
    left_out: bool = False

    @property
    def is_null(self) -> bool:
        """Whether the call has no login."""
        return self.user is None and self.password.form == NULL

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in it."""
        return not self.user and self.password.form in (NULL, EMPTY)

    @property
    def plain(self) -> Login:
        """The same, with the empty text for null."""
        word = Secret(EMPTY) if self.password.form == NULL else self.password
        return Login(self.user or "", word)

    def repeats(self, first: Login) -> bool:
        """Whether user name and password are those of the first."""
        return (self.user, self.password) == (first.user, first.password)


@dataclass(frozen=True)
class Entry:
    """What becomes of a connection at the broker."""

    ids: Sequence[str]
    situation: str
    role: str | None = None
    """As whom it is let in; None: it is not."""
    error: type[Exception] | None = JMSException
    """By what it is refused; None: it is not."""
    at_once: bool = False
    """Whether the call that makes it has to refuse it."""
    refused: Sequence[str] | None = None
    """What is broken where it is refused against the documents, if not `ids`."""
    remembers: Sequence[str] = ()
    """What is broken where it is refused as another login than the first."""


@dataclass(slots=True, eq=False)
class Factory:
    """A factory, and the login of its first connection."""

    settings: FactorySettings
    first: Login | None = None
    has_refused: bool = False
    is_open: bool = False
    """Whether nobody knows any more which login was its first."""


@dataclass(slots=True, eq=False)
class Connection:
    """A connection or a context."""

    factory: Factory
    entry: Entry
    unchecked: bool
    key: object
    """By what calls of other factories are the same."""
    used: bool = False
    closed: bool = False


@dataclass
class World:
    """What one program has made."""

    objects: dict[str, Any] = field(default_factory=dict)
    let_in: set[object] = field(default_factory=set)
    """The calls that ended as they had to with the flag as a boolean."""


def _of_token(ids: Sequence[str], situation: str, of: str) -> Entry:
    if of == FORGED:
        return Entry(ids, f"{situation} that is forged", None, JMSSecurityException)
    if of == NOBODY:
        return Entry(ids, f"{situation} of a role without rights")
    return Entry(ids, situation, of, None)


def own(settings: FactorySettings) -> Entry:
    """By a factory's own settings."""
    plugin, params = settings.plugin, settings.params
    by = f"by settings with {params.form}"
    if plugin == BASIC_PLUGIN:
        return Entry(["SLJ-SEC-001"], "by settings of another plug-in")
    if not plugin and params.form != NULL:
        known = _of_token(["SLJ-SEC-009"], "by settings without plug-in", params.of)
        return replace(known, error=JMSException)
    if params.form not in _OF_TOKENS:
        return Entry(["SLJ-SEC-009"], by)
    ids = ["SLJ-SEC-001", "SLJ-SEC-009"] if params.form == TOKEN else ["SLJ-SEC-009"]
    known = _of_token(ids, by, params.of)
    is_open = params.form in _OPEN_FORMS or known.error is not None
    return replace(known, error=JMSException) if is_open else known


def by_login(settings: FactorySettings, login: Login, unchecked: bool) -> Entry:
    """By user name and password of a call, where these count."""
    word = login.password
    if settings.plugin == BASIC_PLUGIN:
        role = word.of if word.form == TOKEN and word.of in (CLIENT, ADMIN) else None
        return Entry(["SLJ-SEC-001"], f"by a login with {word.form} and another plug-in", role)
    alone = "" if settings.plugin else " without plug-in"
    by = f"by a login with {word.form}{alone}"
    if word.form in (NULL, EMPTY):
        return replace(own(settings), ids=["SLJ-SEC-006"], situation=by, error=JMSException)
    if word.form == TOKEN:
        call = "SLJ-SEC-003" if unchecked else "SLJ-SEC-002"
        ids = [call, "SLJ-SEC-006"]
        if not login.user or not login.user.isascii():
            ids, by = ["SLJ-SEC-005"], f"{by} and an odd user name"
        known = _of_token([call] if word.of == FORGED else ids, by, word.of)
    elif word.form in (BARE, UPPER, SPACE, ALONE, FILE, JSON):
        known = Entry(["SLJ-SEC-006"], by, None, JMSSecurityException)
    else:
        known = Entry(["SLJ-SEC-001"], by, None, JMSSecurityException)
    return known


def of_first(settings: FactorySettings, login: Login, unchecked: bool) -> Entry:
    """As whom the first connection of a factory is let in."""
    alone = own(settings)
    if login.is_null:
        return alone
    if settings.uses_logins:
        if login.is_empty:
            return replace(alone, situation="by a login of nothing", error=JMSException)
        return by_login(settings, login, unchecked)
    if settings.plugin == BASIC_PLUGIN:
        return alone
    by = f"{alone.situation}, not by the login"
    unused = replace(alone, ids=["SLJ-SEC-004"], situation=by)
    if not settings.plugin and settings.params.form == NULL:
        return replace(unused, error=JMSSecurityException)
    return replace(unused, refused=alone.ids) if settings.params.form != TOKEN else unused


def of_next(factory: Factory, first: Login, login: Login, unchecked: bool) -> Entry:
    """As whom a later one is let in."""
    known = replace(of_first(factory.settings, first, unchecked), refused=None)
    if login.repeats(first):
        return replace(known, ids=["SLJ-SEC-007"], situation="by the login of the first")
    if factory.settings.uses_logins and not login.is_null and login.plain != first.plain:
        by = "by another login than the first"
        return Entry(["SLJ-SEC-007"], by, None, JMSException, at_once=True)
    by = "by a login that may be the same as the first"
    return replace(known, ids=["SLJ-SEC-007"], situation=by, error=JMSException)


def create(
    world: World, factory: Factory, api: str, login: Login, makes: str
) -> Expectation | None:
    """A connection or a context."""
    if factory.is_open:
        return None
    unchecked, settings = "context" in api, factory.settings
    is_first = factory.first is None
    entry = (
        of_first(settings, login, unchecked)
        if factory.first is None
        else of_next(factory, factory.first, login, unchecked)
    )
    if is_first and factory.has_refused:
        behind = f"{entry.situation}, behind one that was refused"
        entry = replace(entry, situation=behind, remembers=["SLJ-SEC-007"])
    by = (settings.plugin, settings.params, settings.uses_logins)
    key = (*by, login, unchecked, is_first)

    def make() -> None:
        world.objects[makes] = Connection(factory, entry, unchecked, key)
        if is_first:
            factory.first = login
        factory.is_open = factory.is_open or (is_first and entry.error is not None)

    def refused() -> None:
        factory.has_refused = True
        if entry.role is None:
            _note_let_in(world, factory, key)

    ways: list[Permitted] = []
    if entry.error is not None:
        ways.append(raises(_kind(entry.error, unchecked), effect=refused))
    if not entry.at_once:
        ways.append(succeeds(make))
    return _expectation(world, factory, key, ways, entry)


def use(world: World, made: Connection) -> Expectation | None:
    """It sends and receives; as whom the broker knows it."""
    if made.closed or made.used:
        return None
    entry = made.entry
    ways: list[Permitted] = []

    def done() -> None:
        made.used = True
        _note_let_in(world, made.factory, made.key)

    def refused() -> None:
        made.closed = True
        if entry.role is None:
            _note_let_in(world, made.factory, made.key)

    if entry.role is not None:
        ways.append(gives(entry.role, done))
    if entry.error is not None:
        ways.append(raises(_kind(entry.error, made.unchecked), effect=refused))
    return _expectation(world, made.factory, made.key, ways, entry)


def clients(world: World, factory: Factory) -> Expectation | None:
    """How many connections to the broker the open ones of a factory have."""
    open_ = [
        each
        for each in world.objects.values()
        if isinstance(each, Connection) and each.factory is factory and each.used
    ]
    if len([each for each in open_ if not each.closed]) < 2:
        return None
    return Expectation([gives(1)], ["SLJ-SEC-008"], name=lambda _: "gave more")


def close(_: World, made: Connection) -> Expectation | None:
    """It ends, and its factory has the same client as before."""
    if made.closed:
        return None
    return Expectation([succeeds(partial(setattr, made, "closed", True))], [])


def _kind(error: type[Exception], unchecked: bool) -> type[Exception]:
    return _UNCHECKED[error] if unchecked else error


def _note_let_in(world: World, factory: Factory, key: object) -> None:
    if isinstance(factory.settings.flag, bool):
        world.let_in.add(key)


def _expectation(
    world: World, factory: Factory, key: object, ways: Sequence[Permitted], entry: Entry
) -> Expectation:
    """By its own statements; of a flag that is a text by that on texts, where a boolean did."""
    if isinstance(factory.settings.flag, str):
        by = ["SLJ-CFG-005"] if key in world.let_in else []
        situation = f"{entry.situation}, the flag is a text"
        return Expectation(ways, by, situation, besides=entry.ids, name=_name_difference)
    if entry.remembers:
        return Expectation(
            ways, entry.remembers, entry.situation, name=_name_difference, instead=entry.ids,
            betrays=(IllegalStateException, IllegalStateRuntimeException),
            accuse=lambda _: entry.ids, besides=entry.ids,
        )  # fmt: skip
    return Expectation(
        ways, entry.ids, entry.situation, name=_name_difference, betrays=(), instead=entry.refused
    )


def _name_difference(given: object) -> str:
    return "came back" if given is None else "showed another role"


Rule = Callable[..., Expectation | None]
RULES: Final[Mapping[str, Rule]] = {"use": use, "clients": clients, "close": close}


def expect(
    world: World, on: str, method: str, args: Sequence[Any] = (), makes: str = ""
) -> Expectation | None:
    """What is permitted of a call on what has the name `on`; None: it makes no sense now."""
    if on == PROGRAM:
        [settings] = args
        made = partial(world.objects.__setitem__, makes, Factory(settings))
        return Expectation([succeeds(made)], [])
    target = world.objects.get(on)
    if target is None:
        return None
    if method == "create":
        api, login = args
        return create(world, target, api, login, makes)
    return RULES[method](world, target)
