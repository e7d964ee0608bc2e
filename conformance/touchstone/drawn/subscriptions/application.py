"""The applications of a program, and the administrator who looks at what they do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol

from jms_model.delivery import provider
from jms_model.pulsar_subscriptions.calls import BROKER
from jms_model.pulsar_subscriptions.cluster import Due
from jms_model.pulsar_subscriptions.destinations import (
    DEFAULT_NAMESPACE,
    QUEUE,
    Destination,
    PulsarTopic,
)
from jms_model.pulsar_subscriptions.differences import ObservedSubscription
from jms_model.pulsar_subscriptions.filters import NUMBER, Filter
from jms_model.pulsar_subscriptions.kinds import RECEIVER, SubscriptionSettings
from jmsapi import ConnectionFactory
from touchstone.drawn.arrivals import Arrivals
from touchstone.drawn.sessions.interfaces import creator
from touchstone.drawn.sessions.taking import Taking
from touchstone.drawn.subscriptions.program import FOR_QUEUES, FOR_TOPICS, SIMPLIFIED, Step

_INTERFACES: Final = {FOR_QUEUES: provider.QUEUE, FOR_TOPICS: provider.TOPIC}


class AdministratorView(Protocol):
    """What an administrator of the broker sees."""

    def subscriptions(self, destination: str) -> Mapping[str, Any]:
        """The subscriptions of a topic, by name."""
        ...

    def topics(self, namespace: str) -> Sequence[str]:
        """The topics of a namespace."""
        ...


@dataclass
class _Client:
    """A session or a context, and what it was made by."""

    opened: Any
    session: Any
    domain: str
    simplified: bool


@dataclass
class Applications:
    """Makes the calls of one program.

    What a program calls a, s1 or c1 has names that no other program uses.
    """

    factory: Callable[[Mapping[str, Any]], ConnectionFactory]
    """By settings."""
    admin: AdministratorView
    namespaces: Mapping[str, str]
    """What programs call so, as it is on the broker."""
    prefix: str
    """What begins the names of this program alone."""
    arrivals: Arrivals
    objects: dict[str, Any] = field(default_factory=dict)

    def call(self, step: Step, due: Due | None) -> object:
        """Make a call; `due`: where messages are taken, what is due to whom."""
        if step.on == BROKER:
            return self._subscriptions(*step.args) if step.args else self._topics()
        made = getattr(self, f"_{step.method}")(
            *([self.objects[step.on]] if step.on else []),
            *([due] if step.method == "take" else step.args),
        )
        if step.makes:
            self.objects[step.makes] = made
            return None
        return made

    def close(self) -> None:
        """Close what is still open; what that raises is no matter."""
        for each in self.objects.values():
            if isinstance(each, _Client):
                with suppress(Exception):
                    each.opened.close()

    # Clients

    def _factory(self, settings: SubscriptionSettings) -> ConnectionFactory:
        given = {"jms.systemNamespace": None, **settings.given}
        if settings.client_id:
            given["jms.clientId"] = self.prefix + settings.client_id
        if settings.namespace:
            given["jms.systemNamespace"] = self.namespaces[settings.namespace]
        return self.factory(given)

    def _connect(self, factory: Any, api: str, client_id: str | None) -> _Client:
        domain, simplified = _INTERFACES.get(api, ""), api == SIMPLIFIED
        opened: Any
        if simplified:
            opened = factory.create_context()
        else:
            opened = creator(domain, factory, "connection")()
        try:
            if client_id is not None:
                opened.client_id = self.prefix + client_id
        except BaseException:
            opened.close()
            raise
        opened.start()
        session = opened if simplified else creator(domain, opened, "session")()
        return _Client(opened, session, domain, simplified)

    def _client_id(self, client: _Client) -> str | None:
        client_id = client.opened.client_id
        return client_id if client_id is None else self._without_prefix(client_id)

    def _without_prefix(self, name: str) -> str:
        return name.replace(self.prefix, "")

    def _close(self, target: Any) -> None:
        (target.opened if isinstance(target, _Client) else target).close()

    # Consumers and messages

    def _destination(self, session: Any, destination: Destination) -> Any:
        named = replace(
            destination,
            names=tuple(self.prefix + name for name in destination.names),
            namespace=self.namespaces.get(destination.namespace, destination.namespace),
        )
        create = session.create_queue if destination.domain == QUEUE else session.create_topic
        return create(named.text)

    def _open(
        self,
        client: _Client,
        kind: str,
        destination: Destination,
        name: str,
        by: Filter | None = None,
    ) -> Any:
        given: list[Any] = [self._destination(client.session, destination)]
        is_named = kind not in (RECEIVER, "consumer")
        if is_named:
            given.append(name)
        if by is not None:
            given.append(by.selector)
            if by.no_local is not None:
                given.append(by.no_local)
        if is_named:
            return getattr(client.session, f"create_{kind}")(*given)
        return creator(client.domain, client.session, "consumer")(*given)

    def _send(self, client: _Client, destination: Destination, number: int) -> None:
        made = self._destination(client.session, destination)
        message = client.session.create_text_message(str(number))
        message.set_int_property(NUMBER, number)
        if client.simplified:
            client.session.create_producer().send(made, message)
        else:
            creator(client.domain, client.session, "producer")(made).send(message)

    def _take(self, _consumer: Any, due: Due) -> Mapping[str, Sequence[int]]:
        missing = Counter(due.numbers)
        got: dict[str, list[int]] = {name: [] for name in due.consumers}
        taking = Taking({name: self.objects[name] for name in due.consumers})
        while missing:
            message = self.arrivals.next(taking)
            if message is None:
                break
            number = int(message.get_int_property(NUMBER))
            got[taking.name].append(number)
            missing -= Counter([number])
        return got

    def _unsubscribe(self, client: _Client, name: str) -> None:
        client.session.unsubscribe(name)

    # The administrator

    def _subscriptions(self, topic: PulsarTopic) -> Mapping[str, ObservedSubscription]:
        namespace = self.namespaces.get(topic.namespace, topic.namespace)
        actual = PulsarTopic(namespace, self.prefix + topic.name)
        return {
            self._without_prefix(name): ObservedSubscription(
                each.type, each.durable, each.consumers
            )
            for name, each in self.admin.subscriptions(str(actual)).items()
        }

    def _topics(self) -> set[str]:
        return {
            self._without_prefix(topic).replace(f"/{actual}/", f"/{called}/")
            for called, actual in {**self.namespaces, DEFAULT_NAMESPACE: DEFAULT_NAMESPACE}.items()
            for topic in self.admin.topics(actual)
            if self.prefix in topic
        }
