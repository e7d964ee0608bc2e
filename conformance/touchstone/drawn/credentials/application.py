"""Factories with drawn credentials, and what they make, on the client under test."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

from jms_model.credentials import (
    ALONE,
    BARE,
    CLIENT,
    EMPTY,
    FILE,
    FORGED,
    JSON,
    LINE_FILE,
    NO_FILE,
    NULL,
    ODD,
    PAIR,
    PROGRAM,
    SHORT_FILE,
    SPACE,
    TOKEN,
    UPPER,
    WORD,
    FactorySettings,
    Login,
    Secret,
)
from jmsapi import ConnectionFactory, Queue, SessionMode
from touchstone.drawn.arrivals import Arrivals
from touchstone.drawn.credentials.program import CONTEXT, FOR_QUEUES, FOR_TOPICS, OF_A_MODE, Step
from touchstone.drawn.driving import DidNotCome

FLAG: Final = "jms.useCredentialsFromCreateConnection"
_SUBSCRIPTION: Final = "jms-queue"
_MAKERS: Final = {
    CONTEXT: "create_context",
    OF_A_MODE: "create_context",
    FOR_QUEUES: "create_queue_connection",
    FOR_TOPICS: "create_topic_connection",
}


class AdministratorView(Protocol):
    """What an administrator of the broker sees."""

    def stats(self, destination: Any) -> Mapping[str, Any]:
        """The broker's statistics of a topic."""
        ...

    def users(self, destination: Any, subscription: str) -> Sequence[str]:
        """As whom the broker knows the consumers of a subscription."""
        ...


@dataclass
class Texts:
    """What drawn secrets are on this broker; no text for people."""

    folder: Path
    """Where files with tokens are."""
    token_of: Callable[[str], str]

    def of(self, secret: Secret) -> str | None:
        """The text itself; None for null."""
        token = self._token(secret.of) if secret.of else ""
        match secret.form:
            case form if form == NULL:
                return None
            case form if form in (FILE, SHORT_FILE, LINE_FILE):
                return self._file(form, secret.of, token)
        given = {
            EMPTY: "",
            TOKEN: f"token:{token}",
            BARE: token,
            NO_FILE: (self.folder / "none").as_uri(),
            JSON: json.dumps({"token": token}),
            ALONE: "token:",
            UPPER: f"TOKEN:{token}",
            SPACE: f" token:{token}",
            WORD: "secret",
            ODD: "pässwörd 名前\N{GRINNING FACE}",
            PAIR: f"{CLIENT}:secret",
        }
        return given[secret.form]

    def _token(self, of: str) -> str:
        token = self.token_of(CLIENT if of == FORGED else of)
        if of != FORGED:
            return token
        text, _, signature = token.rpartition(".")
        return f"{text}.{'A' * len(signature)}"

    def _file(self, form: str, of: str, token: str) -> str:
        file = self.folder / f"{of}{'-line' * (form == LINE_FILE)}"
        if not file.exists():
            file.touch(0o600)
            file.write_text(f"{token}\n" if form == LINE_FILE else token, encoding="utf-8")
        return f"file:{file}" if form == SHORT_FILE else file.as_uri()


@dataclass
class Application:
    """Makes the calls of one program."""

    factory: Callable[[Mapping[str, Any]], ConnectionFactory]
    """By settings."""
    texts: Texts
    queues: Callable[[], Queue]
    admin: AdministratorView
    arrivals: Arrivals
    objects: dict[str, Any] = field(default_factory=dict)
    _of: dict[str, str] = field(default_factory=dict)
    """The factory of what has a name."""
    _used: dict[str, Queue] = field(default_factory=dict)

    def call(self, step: Step) -> object:
        """Make a call, or several of a kind."""
        if step.on == PROGRAM:
            [settings] = step.args
            self.objects[step.makes] = self._configured(settings)
            return None
        target = self.objects[step.on]
        match step.method:
            case "create":
                self.objects[step.makes] = self._created(target, *step.args)
                self._of[step.makes] = step.on
                return None
            case "use":
                return self._use(target, step.on)
            case "clients":
                return self._clients(step.on)
        self._used.pop(step.on, None)
        return target.close()

    def close(self) -> None:
        """Close what is open; what that raises is no matter."""
        for each in reversed(self.objects.values()):
            with suppress(Exception):
                each.close()

    def _configured(self, settings: FactorySettings) -> ConnectionFactory:
        given = {
            "authPlugin": settings.plugin or None,
            "authParams": self.texts.of(settings.params),
            FLAG: settings.flag,
        }
        return self.factory({key: each for key, each in given.items() if each is not None})

    def _created(self, factory: Any, api: str, login: Login) -> Any:
        create = getattr(factory, _MAKERS.get(api, "create_connection"))
        given = [] if login.left_out else [login.user, self.texts.of(login.password)]
        mode = {"mode": SessionMode.CLIENT_ACKNOWLEDGE} if api == OF_A_MODE else {}
        return create(*given, **mode)

    def _use(self, made: Any, name: str) -> object:
        """As whom the broker knows a consumer that has got a message."""
        queue, is_context = self.queues(), hasattr(made, "create_producer")
        if is_context:
            session = made
        else:
            made.start()
            session = made.create_session()
        consumer = session.create_consumer(session.create_queue(queue.queue_name))
        message = session.create_text_message("foo")
        if is_context:
            session.create_producer().send(queue, message)
        else:
            session.create_producer(queue).send(message)
        if self.arrivals.next(consumer) is None:
            raise DidNotCome
        self._used[name] = queue
        users = self.admin.users(queue, _SUBSCRIPTION)
        return users[0] if len(users) == 1 else users

    def _clients(self, factory: str) -> int:
        """How many connections to the broker what is open of a factory has."""
        addresses = set()
        for name, queue in self._used.items():
            if self._of[name] == factory:
                stats = self.admin.stats(queue)
                consumers = stats["subscriptions"][_SUBSCRIPTION]["consumers"]
                addresses |= {row["address"] for row in (*consumers, *stats["publishers"])}
        return len(addresses)
