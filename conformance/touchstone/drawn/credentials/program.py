"""A program on credentials as data, and how it is drawn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from jms_model.answers import text_of
from jms_model.credentials import (
    ADMIN,
    ALONE,
    BARE,
    BASIC_PLUGIN,
    CLIENT,
    EMPTY,
    FILE,
    FORGED,
    JSON,
    LINE_FILE,
    NO_FILE,
    NOBODY,
    NULL,
    ODD,
    PAIR,
    PROGRAM,
    SHORT_FILE,
    SPACE,
    TOKEN,
    TOKEN_PLUGIN,
    UPPER,
    WORD,
    FactorySettings,
    Login,
    Secret,
)
from touchstone.drawn import lockstep
from touchstone.drawn.lockstep import Program

CONNECTION, CONTEXT, OF_A_MODE = "connection", "context", "context with a mode"
FOR_QUEUES, FOR_TOPICS = "queue connection", "topic connection"
APIS: Final = (CONNECTION, CONTEXT, OF_A_MODE, CONNECTION, CONTEXT, FOR_QUEUES, FOR_TOPICS)
USERS: Final = (
    *("user", "user", "client", "admin", "token", "u:p", " ", "U" * 300),
    *("", "", None, None, "Zoë", "名前", "\N{GRINNING FACE}"),
)
_FLAGS: Final = (True, True, True, False, None)
_WITH_TOKEN: Final = (TOKEN, BARE, UPPER, SPACE, FILE, JSON)
_PASSWORDS: Final = (
    *(TOKEN, BARE, BARE, *_WITH_TOKEN),
    *(WORD, ODD, PAIR, PAIR, ALONE, NULL, EMPTY),
)
_FILES: Final = (FILE, SHORT_FILE, LINE_FILE)
_OWNERS: Final = (CLIENT, CLIENT, ADMIN, ADMIN, FORGED)
_NO_LOGIN: Final = (Login(left_out=True), Login())


@dataclass(frozen=True, slots=True)
class Step(lockstep.Step):
    """One call, or several of a kind."""

    def __str__(self) -> str:
        match self.method, self.args:
            case "configure", (settings,):
                return f"{self.makes} = {settings}"
            case "create", (api, login):
                with_ = (
                    "nothing" if login.left_out else f"user {text_of(login.user)}, {login.password}"
                )
                return f"{self.makes} = a {api} of {self.on} for {with_}"
            case "use", _:
                return f"{self.on} sends and receives"
            case "clients", _:
                return f"the broker's connections from {self.on}"
        return f"{self.on}.{self.method}()"


@st.composite
def _params(draw: DrawFn) -> Secret:
    """A factory's authParams: mostly with a token, by each way to give it."""
    form = draw(st.sampled_from(["token", "token", "bare", "bare", *(["file"] * 3), "odd"]))
    owner = draw(st.sampled_from(_OWNERS))
    match form:
        case "token":
            return Secret(TOKEN, draw(st.sampled_from([owner, owner, NOBODY])))
        case "bare":
            return Secret(BARE, owner)
        case "file":
            return Secret(draw(st.sampled_from(_FILES)), owner)
    return draw(st.sampled_from([Secret(JSON, owner), *map(Secret, (NO_FILE, WORD, ALONE))]))


@st.composite
def _passwords(draw: DrawFn) -> Secret:
    """A password: mostly a token as it has to be."""
    if draw(st.booleans()):
        return Secret(TOKEN, draw(st.sampled_from([CLIENT, ADMIN])))
    form = draw(st.sampled_from(_PASSWORDS))
    owner = FORGED if form == TOKEN else CLIENT
    return Secret(form, owner if form in _WITH_TOKEN else "")


@st.composite
def _logins(draw: DrawFn, has_own: bool) -> Login:
    """A login, or none: of a factory with credentials of its own more often."""
    if draw(st.integers(0, 5)) > (2 if has_own else 4):
        return draw(st.sampled_from([*_NO_LOGIN, Login("", Secret(EMPTY))]))
    return Login(draw(st.sampled_from(USERS)), draw(_passwords()))


@st.composite
def _settings(draw: DrawFn) -> FactorySettings:
    """A factory's own credentials, or none, and whether a login counts."""
    flag = draw(st.sampled_from(_FLAGS))
    what = draw(st.sampled_from([*["plugin"] * 4, *["nothing"] * 4, "basic", "basic", "odd"]))
    if what == "plugin":
        return FactorySettings(TOKEN_PLUGIN, draw(_params()), flag)
    if what == "nothing":
        return FactorySettings(draw(st.sampled_from(["", TOKEN_PLUGIN])) if flag else "", flag=flag)
    if what == "basic":
        return FactorySettings(BASIC_PLUGIN, Secret(PAIR), flag)
    return FactorySettings("", Secret(TOKEN, CLIENT), flag)


@st.composite
def _later_login(draw: DrawFn, first: Login) -> Login:
    """A later login: the first once more, or one that differs in one thing or in all."""
    match draw(
        st.sampled_from(["same", "same", "same", "user", "password", "valid", "null", "other"])
    ):
        case "same":
            return first
        case "user":
            return replace(first, user=draw(st.sampled_from(USERS)), left_out=False)
        case "password":
            return replace(first, password=draw(_passwords()), left_out=False)
        case "valid":
            return Login(
                first.user or "user", Secret(TOKEN, draw(st.sampled_from([CLIENT, ADMIN])))
            )
        case "null":
            return draw(st.sampled_from(_NO_LOGIN))
    return draw(_logins(has_own=False))


@st.composite
def programs(draw: DrawFn) -> Program:
    """A factory makes up to three connections; or two do, perhaps with the flag in two forms."""
    first = draw(_settings())
    factories = [first]
    twins = draw(st.integers(0, 4)) > 2
    if twins:
        first = replace(first, flag=bool(first.flag))
        factories = [first, replace(first, flag=str(first.flag).lower())]
    elif draw(st.integers(0, 3)) == 3:
        factories.append(draw(_settings()))
    steps = [Step(PROGRAM, "configure", (each,), f"f{at}") for at, each in enumerate(factories)]
    logins: dict[str, Login] = {}
    shared = draw(_logins(has_own=first.params.form != NULL))
    api = draw(st.sampled_from(APIS))
    for at in range(len(factories)):
        on = f"f{at}"
        logins[on] = shared if at == 0 or twins else draw(_logins(has_own=False))
        steps += _making_steps(
            on, f"{on}c0", api if twins else draw(st.sampled_from(APIS)), logins[on]
        )
    for number in range(1, draw(st.sampled_from([1, 2, 3, 3]))):
        on = draw(st.sampled_from([*logins]))
        if draw(st.integers(0, 3)) == 3:
            steps.append(Step(f"{on}c0", "close"))
        steps += _making_steps(
            on, f"{on}c{number}", draw(st.sampled_from(APIS)), draw(_later_login(logins[on]))
        )
    steps += [Step(on, "clients") for on in logins]
    return Program(steps)


def _making_steps(on: str, name: str, api: str, login: Login) -> list[Step]:
    return [Step(on, "create", (api, login), name), Step(name, "use")]
