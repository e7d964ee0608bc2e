"""The fixtures of scenarios: what the running scenario opens when asked, and closes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import pytest

from jms_scenarios.property_values import set_property
from jms_scenarios.refusals import refusal
from jms_scenarios.traffic import numbered, send
from jmsapi import (
    Connection,
    JMSContext,
    Message,
    MessageConsumer,
    PropertyValue,
    Queue,
    SessionMode,
    Topic,
)
from touchstone.api import (
    BrokerAddress,
    BrokerControl,
    ClientLog,
    Cuts,
    EndedTransactions,
    Faults,
    OtherProcess,
    QueueView,
    Resource,
    RunningScenario,
    Scope,
    UnderTest,
    WorkloadVerdict,
    at_work,
    not_applicable,
    receive,
    run_in_scenario,
    until,
)

if TYPE_CHECKING:
    from jms_brokers.families.pulsar.admin import PulsarAdmin
    from jms_brokers.families.pulsar.wire import PulsarWire


@pytest.fixture
def at_hand(request: pytest.FixtureRequest) -> RunningScenario:
    """Everything that the running scenario may ask for."""
    return at_work(request)


@pytest.fixture
def jms(at_hand: RunningScenario) -> UnderTest:
    """The client under test, with a started default connection."""
    return at_hand.jms


@pytest.fixture
def jms_at(at_hand: RunningScenario) -> Callable[[BrokerAddress], UnderTest]:
    """The same client at another address: `jms_at(proxy.address)`."""
    return at_hand.jms_at


@pytest.fixture
def jms_as(at_hand: RunningScenario) -> Callable[[str], UnderTest]:
    """The same client with the rights of a role: `jms_as("nobody")`."""
    return at_hand.jms_as


@pytest.fixture
def stranger(at_hand: RunningScenario) -> UnderTest:
    """The same client without credentials and without a certificate to trust."""
    return at_hand.stranger


@pytest.fixture
def broker_address(at_hand: RunningScenario) -> BrokerAddress:
    """Where the scenario's broker is, and the tokens of its roles."""
    return at_hand.connected.address


@pytest.fixture
def name(at_hand: RunningScenario) -> Callable[[str], str]:
    """A fresh simple name: `name("reply")`."""
    return at_hand.name


@pytest.fixture
def queue(at_hand: RunningScenario) -> Queue:
    """A fresh queue."""
    return at_hand.queue()


@pytest.fixture
def topic(at_hand: RunningScenario) -> Topic:
    """A fresh topic."""
    return at_hand.topic()


@pytest.fixture
def client_id(name: Callable[[str], str]) -> str:
    """A client identifier that nobody else has."""
    return name("c1")


@pytest.fixture
def connection(jms: UnderTest, client_id: str) -> Connection:
    """A connection with that client identifier."""
    return jms.connection(client_id=client_id)


@pytest.fixture
def full_queue(
    jms: UnderTest, queues: QueueView, name: Callable[[str], str]
) -> Callable[[int], Queue]:
    """`full_queue(3)`: a fresh queue with so many messages, by the broker's account.

    Their texts are `numbered(3, queue.queue_name)`.
    """

    def full_queue(count: int) -> Queue:
        queue = jms.queue(name("queue"))
        send(jms.connected, queue, numbered(count, queue.queue_name))
        if count:  # some brokers know a queue only when it has had a message
            until(lambda: queues.pending(queue) == count)
        return queue

    return full_queue


@pytest.fixture
def wire(at_hand: RunningScenario) -> PulsarWire:
    """Messages as they lie on the broker, seen and sent without the client under test."""
    view: PulsarWire = at_hand.view("wire")
    return view


@pytest.fixture
def admin(at_hand: RunningScenario) -> PulsarAdmin:
    """The broker's own view of topics and subscriptions."""
    view: PulsarAdmin = at_hand.view("admin")
    return view


@pytest.fixture
def allowed(at_hand: RunningScenario) -> Callable[[Resource], tuple[int, Scope]]:
    """`allowed("consumers")`: how many there may be, and where, as the administrator has set.

    NOT-APPLICABLE where brokers of the family limit no such thing.
    """

    def allowed(resource: Resource) -> tuple[int, Scope]:
        limits = at_hand.limits
        if resource not in limits:
            family = at_hand.connected.address.family
            not_applicable(f"Brokers of the family {family} do not limit {resource}")
        return limits[resource]

    return allowed


@pytest.fixture
def queues(at_hand: RunningScenario) -> QueueView:
    """Queues as the broker sees them, whatever the broker."""
    return at_hand.queues


@pytest.fixture
def faults(at_hand: RunningScenario) -> Faults:
    """Proxies in front of the scenario's broker."""
    return at_hand.faults


@pytest.fixture
def cuts(at_hand: RunningScenario) -> Cuts:
    """The client under test behind a proxy that breaks its connection, whatever the protocol."""
    return at_hand.cuts


@pytest.fixture
def ended_transactions(at_hand: RunningScenario) -> EndedTransactions:
    """The client under test, in whose transactions the broker can be made to end them."""
    return at_hand.ended_transactions


@pytest.fixture
def broker_control(at_hand: RunningScenario) -> BrokerControl:
    """Kill, restart, pause and resume of the scenario's private broker."""
    return at_hand.broker


@pytest.fixture
def other_process(at_hand: RunningScenario) -> OtherProcess:
    """The same client in a child process that can be killed."""
    return at_hand.other_process


@pytest.fixture
def workload(at_hand: RunningScenario) -> Callable[..., WorkloadVerdict]:
    """`workload("queue", messages=1_000)`: many at once, recorded and judged by all checks."""
    return partial(run_in_scenario, at_hand)


@pytest.fixture
def log(at_hand: RunningScenario) -> ClientLog:
    """What the client logs."""
    return at_hand.log


@pytest.fixture
def message_with(jms: UnderTest) -> Callable[[Mapping[str, PropertyValue]], Message]:
    """`message_with({name: value})`: a message with each property set by its type's own setter."""

    def message_with(properties: Mapping[str, PropertyValue]) -> Message:
        message = jms.session().create_message()
        for name, value in properties.items():
            set_property(message, name, value)
        return message

    return message_with


@pytest.fixture
def inbox(jms: UnderTest, queue: Queue) -> Callable[[], MessageConsumer]:
    """`inbox()`: the one consumer of `queue`, made at the first call."""
    return cache(lambda: jms.consumer(queue))


@pytest.fixture
def delivered(
    jms: UnderTest, queue: Queue, inbox: Callable[[], MessageConsumer]
) -> Callable[..., Message]:
    """`delivered(message)`: sends it to `queue` and gives the message that a consumer receives."""
    producer = cache(lambda: jms.producer(queue))

    def delivered(message: Message, **options: Any) -> Message:
        consumer = inbox()
        producer().send(message, **options)
        return receive(consumer)

    return delivered


@pytest.fixture(params=["fresh", "received"])
def shown(
    request: pytest.FixtureRequest, delivered: Callable[..., Message]
) -> Callable[[Message], Message]:
    """`shown(message)`: the message itself, or as it is received."""
    return delivered if request.param == "received" else lambda message: message


@pytest.fixture
def context_of(jms: UnderTest) -> Iterator[Callable[..., JMSContext]]:
    """`context_of(mode)`: a context that the scenario's own thread closes: some heed no other."""
    with ExitStack() as made:

        def context_of(mode: int = SessionMode.AUTO_ACKNOWLEDGE) -> JMSContext:
            context = jms.context(mode)
            made.callback(refusal, context.close)
            return context

        yield context_of
