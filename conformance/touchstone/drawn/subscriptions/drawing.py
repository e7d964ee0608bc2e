"""How such programs are drawn: along the model, so that each call makes sense."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from jms_model.pulsar_subscriptions.calls import BROKER, expect
from jms_model.pulsar_subscriptions.cluster import Cluster, SessionClient
from jms_model.pulsar_subscriptions.destinations import QUEUE, TOPIC, Destination, PulsarTopic
from jms_model.pulsar_subscriptions.filters import EVERYTHING, Filter
from jms_model.pulsar_subscriptions.kinds import (
    FAILOVER,
    KEY_SHARED,
    KINDS,
    RECEIVER,
    SHARED,
    SubscriptionSettings,
)
from touchstone.drawn.lockstep import Program
from touchstone.drawn.subscriptions.program import (
    APIS,
    CLASSIC,
    FOR_QUEUES,
    FOR_TOPICS,
    SIMPLIFIED,
    Step,
)
from touchstone.scenario import strategies

NAMESPACES: Final = ("t/n1", "t/n2")
"""Those that programs name; on the broker they have names of their own."""
_TWO_IN_THREE: Final = st.sampled_from([True, True, False])
_ONE_IN_THREE: Final = st.sampled_from([True, False, False])
_ONE_IN_FOUR: Final = st.sampled_from([True, False, False, False])
_WITHOUT_COLON: Final = [name for name in strategies.NAMES if ":" not in name]
_CLIENT_IDS: Final = (*["c1"] * 4, "c1_s", "a.b", "größe", "ID:1")
_MAPPED: Final = ("c1_s", "c1", "_", "null_s", "jms-queue", "s")
_OF_TOPICS: Final = (
    "consumer",
    "durable_consumer",
    "shared_consumer",
    "shared_durable_consumer",
    "durable_subscriber",
)
_CALLS: Final = (
    *(["open"] * 4 + ["open it again"] * 3 + ["reopen"] * 3 + ["send"] * 3 + ["take"] * 3),
    *(["open elsewhere"] * 3 + ["send to it"] * 3),
    *("close a consumer", "close a client", "connect", "connect", "client_id", "unsubscribe"),
)
_ON_CONSUMERS: Final = (
    "take",
    "open it again",
    "open elsewhere",
    "reopen",
    "send to it",
    "close a consumer",
)
_CONDITIONS: Final = (None, None, "", "n IS NOT NULL", "JMSDeliveryMode = 'PERSISTENT'")
"""Those that every message meets."""
_WITH_NO_LOCAL: Final = (RECEIVER, "consumer", "durable_consumer", "durable_subscriber")


def _value_or_none(value: SearchStrategy[Any], share: SearchStrategy[bool] = _ONE_IN_THREE) -> Any:
    return share.flatmap(lambda given: value if given else st.none())


def _has_no_local(client: SessionClient, kind: str) -> bool:
    """Whether the call that opens such a consumer has an argument for it."""
    return kind in _WITH_NO_LOCAL and client.api != FOR_QUEUES


_SETTINGS: Final = st.builds(
    SubscriptionSettings,
    client_id=_value_or_none(st.sampled_from(_CLIENT_IDS)),
    namespace=_value_or_none(
        st.sampled_from([*NAMESPACES[:1] * 2, *NAMESPACES[1:]]), _TWO_IN_THREE
    ),
    queue_subscription=_value_or_none(st.sampled_from(["work", *strategies.NAMES])),
    shared_type=_value_or_none(
        st.sampled_from([SHARED, KEY_SHARED, KEY_SHARED, FAILOVER]), _TWO_IN_THREE
    ),
    exclusive_simple=_value_or_none(st.sampled_from([True, False, False]), st.booleans()),
    precreate=_value_or_none(st.sampled_from([True, False, False])),
    emulation=_value_or_none(st.just(True), _TWO_IN_THREE),
    as_texts=_TWO_IN_THREE,
)


class _Drawing:
    """A program that is being drawn, and what the model says that it has made."""

    def __init__(self, draw: DrawFn) -> None:
        self._draw = draw
        self.steps: list[Step] = []
        self.cluster = Cluster()
        self._names = draw(st.lists(st.sampled_from(_WITHOUT_COLON), min_size=2, max_size=3))
        self._subscriptions = [
            draw(st.sampled_from(strategies.NAMES)),
            draw(st.sampled_from(_MAPPED)),
        ]
        self._suffixes = draw(st.lists(st.sampled_from(_WITHOUT_COLON), min_size=1, max_size=2))
        self._namespace = draw(st.sampled_from(NAMESPACES))
        self._numbers = 0

    def add(self, on: str, method: str, *args: Any, makes: str = "") -> bool:
        """Add a step; False: it makes no sense now."""
        expectation = expect(self.cluster, on, method, args, makes)
        if expectation is None:
            return False
        self.steps.append(Step(on, method, args, makes))
        expectation.permitted[0].effect()
        return True

    def connect(self) -> None:
        """A client more."""
        factory = self._draw(st.sampled_from([*self.cluster.factories]))
        known = [each.client_id for each in self.cluster.clients.values() if each.client_id]
        client_ids = st.sampled_from([*_CLIENT_IDS, *known * 3])
        client_id = self._draw(_value_or_none(client_ids, _TWO_IN_THREE))
        api = self._draw(st.sampled_from(APIS))
        name = f"c{sum(step.method == 'connect' for step in self.steps)}"
        if self.add(factory, "connect", api, client_id, makes=name) and name in self._clients():
            self.add(name, "client_id")

    def _clients(self) -> dict[str, SessionClient]:
        return {name: each for name, each in self.cluster.clients.items() if not each.closed}

    def _consumers(self) -> list[str]:
        return [name for name, each in self.cluster.consumers.items() if not each.closed]

    def _destination(self, domain: str, *, receives: bool) -> Destination:
        names = [self._draw(st.sampled_from(self._names))]
        if receives and self._draw(st.sampled_from([True] + [False] * 5)):
            names = [*dict.fromkeys(self._names)]
        has_suffix = domain == QUEUE and self._draw(st.booleans())
        return Destination(
            domain,
            tuple(names),
            self._namespace if self._draw(st.booleans()) else "",
            self._draw(st.sampled_from(self._suffixes)) if has_suffix else "",
        )

    def open(self, name: str) -> None:
        """A consumer more, and a look at what it consumes from."""
        client = self.cluster.clients[name]
        kinds = [*_OF_TOPICS, *_OF_TOPICS, RECEIVER, RECEIVER]
        if client.api == FOR_QUEUES:
            kinds = [RECEIVER]
        elif client.api == FOR_TOPICS:
            kinds = [*_OF_TOPICS]
        elif client.simplified:
            kinds = [each for each in kinds if each != "durable_subscriber"]
        kind = self._draw(st.sampled_from(kinds))
        destination = self._destination(QUEUE if kind == RECEIVER else TOPIC, receives=True)
        named = (
            ""
            if kind in (RECEIVER, "consumer")
            else self._draw(st.sampled_from(self._subscriptions))
        )
        self._opens(name, kind, destination, named, self._filter(client, kind))

    def _filter(self, client: SessionClient, kind: str) -> Filter | None:
        """What a consumer of this kind leaves out, mostly of the messages that come next."""
        if self._draw(_ONE_IN_THREE):
            return None
        next_ones = st.integers(self._numbers, self._numbers + 3)
        no_local = None
        if _has_no_local(client, kind):
            no_local = self._draw(st.sampled_from([None, False, True, True, True]))
        return Filter(
            self._draw(_value_or_none(next_ones)) or 0,
            self._draw(_value_or_none(next_ones)) or 0,
            self._draw(st.sampled_from(_CONDITIONS)),
            no_local,
        )

    def _other_than(self, by: Filter, client: SessionClient, kind: str) -> Filter:
        """One that differs in noLocal, or in its selector, and selects the next messages."""
        if _has_no_local(client, kind) and self._draw(st.booleans()):
            return replace(by, no_local=not by.no_local)
        later = self._numbers + self._draw(st.integers(4, 5))
        return Filter(other_than=later, no_local=by.no_local)

    def _opens(
        self, name: str, kind: str, destination: Destination, named: str, by: Filter | None
    ) -> None:
        made = f"k{sum(step.method == 'open' for step in self.steps)}"
        if self.add(name, "open", kind, destination, named, by, makes=made):
            self.look(destination, self.cluster.clients[name])

    def _is_unshared(self, consumer: str) -> bool:
        """Whether nobody else may have a consumer of its subscription."""
        kinds = {each.kind for each in self.cluster.consumers[consumer].subscriptions}
        return any(KINDS[kind].is_unshared and KINDS[kind].durable for kind in kinds)

    def open_again(self, consumer: str) -> None:
        """A consumer as this one is, of the same subscription."""
        step = next(each for each in self.steps if each.makes == consumer)
        kind, destination, named, by = step.args
        if self._draw(_ONE_IN_THREE):
            by = self._filter(self.cluster.clients[step.on], kind)
        self._opens(step.on, kind, destination, named, by)

    def open_elsewhere(self, consumer: str) -> None:
        """A consumer of the same topic by another client, if there is one, of any factory."""
        step = next(each for each in self.steps if each.makes == consumer)
        kind, destination, named, _ = step.args
        own = self.cluster.clients[step.on]
        others = [
            name
            for name, each in self._clients().items()
            if each is not own
            and each.api in (own.api, CLASSIC, SIMPLIFIED)
            and not (each.simplified and kind == "durable_subscriber")
        ]
        if others and not destination.is_virtual:
            (topic,) = destination.topics(own.settings.namespace)
            name = self._draw(st.sampled_from(others))
            full = replace(destination, namespace=topic.namespace)
            by = self._filter(self.cluster.clients[name], kind)
            self._opens(name, kind, full, named, by)

    def reopen(self, consumer: str) -> None:
        """A message while it is closed; others follow when it is open again, and once more."""
        closed = self.cluster.consumers[consumer]
        topic = closed.destination.topics(closed.client.settings.namespace)[0]
        step = next(each for each in self.steps if each.makes == consumer)
        sender = self._draw(st.sampled_from([*self._clients()]))
        kind, destination, named, by = step.args
        filters = [by]
        if closed.subscriptions[0].wanted.durable:
            filters.append(self._other_than(by or EVERYTHING, closed.client, kind))
        for each in filters:
            self.close_consumer(consumer)
            self.send_to(topic, sender)
            self._opens(step.on, kind, destination, named, each)
            self.send_to(topic, sender)
            consumer = [*self.cluster.consumers][-1]
            self.add(consumer, "take")

    def send_to_it(self, consumer: str) -> None:
        """A message by a consumer's own client, which noLocal leaves out, and one by any other."""
        of = self.cluster.consumers[consumer]
        own = next(step.on for step in self.steps if step.makes == consumer)
        (topic, *_) = of.destination.topics(of.client.settings.namespace)
        for sender in (own, self._draw(st.sampled_from([*self._clients()]))):
            self.send_to(topic, sender)
        self.add(consumer, "take")

    def send_to(self, topic: PulsarTopic, sender: str) -> None:
        """A message to a topic by its full name, in the domain that the client has."""
        self._numbers += 1
        domain = QUEUE if self.cluster.clients[sender].api == FOR_QUEUES else TOPIC
        to = Destination(domain, (topic.name,), topic.namespace)
        self.add(sender, "send", to, self._numbers)

    def look(self, destination: Destination, client: SessionClient) -> None:
        """Look at the subscriptions of a destination."""
        for topic in destination.topics(client.settings.namespace):
            self.add(BROKER, "subscriptions", topic)
            self.add(BROKER, "lives", topic)

    def send(self, name: str) -> None:
        """A message, and a look at where it got to."""
        client = self.cluster.clients[name]
        domains = {FOR_QUEUES: [QUEUE], FOR_TOPICS: [TOPIC]}.get(client.api, [QUEUE, TOPIC])
        domain = self._draw(st.sampled_from(domains))
        destination = self._destination(domain, receives=False)
        self._numbers += 1
        if self.add(name, "send", destination, self._numbers) and self._draw(_ONE_IN_FOUR):
            self.look(destination, client)

    def close_consumer(self, name: str) -> None:
        """Close a consumer, and look at what is left."""
        consumer = self.cluster.consumers[name]
        self.add(name, "close")
        for topic in consumer.destination.topics(consumer.client.settings.namespace):
            self.add(BROKER, "subscriptions", topic)

    def close_client(self, name: str) -> None:
        """Close a client, and look at what is left of one of its consumers."""
        client = self.cluster.clients[name]
        consumers = [*self.cluster.consumers_of(client)]
        self.add(name, "close")
        for consumer in consumers[:1]:
            self.look(consumer.destination, client)

    def go_on(self) -> None:
        """One call, of those that can be made."""
        clients, consumers = [*self._clients()], self._consumers()
        call = self._draw(st.sampled_from(_CALLS))
        if call == "connect" or not clients:
            self.connect()
        elif call in _ON_CONSUMERS and consumers:
            unshared = [name for name in consumers if self._is_unshared(name)]
            without_local = [
                each for each in consumers if self.cluster.consumers[each].filter.no_local
            ]
            more = {
                "open it again": unshared * 2,
                "reopen": unshared * 2,
                "send to it": without_local * 4,
            }
            again = [*consumers, *more.get(call, [])]
            name = self._draw(st.sampled_from(again))
            match call:
                case "take":
                    self.add(name, "take")
                case "open it again":
                    self.open_again(name)
                case "open elsewhere":
                    self.open_elsewhere(name)
                case "send to it":
                    self.send_to_it(name)
                case "reopen":
                    self.reopen(name)
                case _:
                    self.close_consumer(name)
        else:
            name = self._draw(st.sampled_from(clients))
            match call:
                case "send":
                    self.send(name)
                case "close a client":
                    self.close_client(name)
                case "client_id":
                    self.add(name, "client_id")
                case "unsubscribe":
                    self.add(name, "unsubscribe", self._draw(st.sampled_from(self._subscriptions)))
                case _:
                    self.open(name)

    def end(self) -> None:
        """A message to each destination that is consumed from; then all is taken, and looked at."""
        for sender in [*self._clients()][:1]:
            for topic in [*self.cluster.topics]:
                self.send_to(topic, sender)
        for name in self._consumers():
            self.add(name, "take")
        for topic in self.cluster.topics:
            self.add(BROKER, "subscriptions", topic)
        self.add(BROKER, "topics")


@st.composite
def programs(draw: DrawFn) -> Program:
    """Clients of one to three factories open consumers, send, receive and close, in any order."""
    drawing = _Drawing(draw)
    for number in range(draw(st.integers(1, 3))):
        drawing.add("", "factory", draw(_SETTINGS), makes=f"f{number}")
    for _ in range(draw(st.integers(1, 3))):
        drawing.connect()
    for _ in range(draw(st.integers(6, 14))):
        drawing.go_on()
    drawing.end()
    return Program(drawing.steps)
