"""All pairs of clients on one broker: each in a process of its own, driven from here."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from typing import Any, cast

from jmsapi import JMSException, JMSRuntimeException
from touchstone.brokers.interface import BrokerAddress
from touchstone.deviations import Deviation
from touchstone.errors import ClientError, ProviderError, TouchstoneError
from touchstone.faults.other_process import OtherProcess
from touchstone.interop.behaviours import BEHAVIOURS, Behaviour
from touchstone.interop.jms_messages import thrown
from touchstone.interop.judging import Client, Exchange
from touchstone.interop.pairs import RAW_CLIENT, Pair, behaviour_exchange, sample_exchanges
from touchstone.interop.parts import Partner, Reading, Sent, View
from touchstone.interop.samples import Sample, samples
from touchstone.interop.telling import Missing
from touchstone.scenario.deadline import within
from touchstone.scenario.pulsar_admin import PulsarAdmin
from touchstone.scenario.pulsar_client import IndependentClient
from touchstone.scenario.pulsar_rest import PulsarRest
from touchstone.scenario.waits import until

TENANT = "touchstone"
_AT_ONCE = 6
"""Behaviours that are played at the same time: most of them wait."""
_HELD_WITHIN = 20.0
_SAMPLES_WITHIN = 180.0
_BEHAVIOUR_WITHIN = 120.0
"""Seconds after which a client hangs; a busy machine takes some."""
_CLIENTS_FAULTS = (JMSException, JMSRuntimeException, ClientError)


@dataclass
class Clients:
    """The clients of a run: those that were opened, and why the others were not."""

    listed: Sequence[Client]
    partners: Mapping[str, Partner]
    problems: Mapping[str, str]


@contextmanager
def opened(
    clients: Sequence[Client],
    address: BrokerAddress,
    namespace: str,
    obstacles: Mapping[str, str],
) -> Iterator[Clients]:
    """Open each client in a process of its own, all at once, but for those with an obstacle."""
    partners: dict[str, Partner] = {}
    problems: dict[str, str] = {}

    def start(client: Client) -> OtherProcess | TouchstoneError:
        if client.name in obstacles:
            return ProviderError(obstacles[client.name])
        module = "raw_partner" if client.name == RAW_CLIENT else "jms_partner"
        opener = f"touchstone.interop.{module}:partner"
        try:
            return OtherProcess(f"{namespace} {client.name}", address, opener=opener)
        except TouchstoneError as error:
            return error
        except Exception as error:
            return ProviderError(f"{client.name} could not be opened: {error}")

    with ExitStack() as stack, ThreadPoolExecutor(max(1, len(clients))) as pool:
        for client, process in zip(clients, pool.map(start, clients), strict=True):
            if isinstance(process, TouchstoneError):
                problems[client.name] = process.what
            else:
                stack.callback(_close, process)
                partners[client.name] = cast(Partner, process.client)
        yield Clients(clients, partners, problems)


def _close(process: OtherProcess) -> None:
    """What was exchanged has been told: a client that closes badly changes nothing of it."""
    try:
        process.close()
    except Exception:
        process.kill()


def forget(address: BrokerAddress, namespace: str) -> None:
    """Delete what a run left on the broker, where the broker allows that."""
    with closing(PulsarRest(address)) as rest, suppress(TouchstoneError):
        rest.request("DELETE", f"namespaces/{namespace}", params={"force": True})


class Conductor:
    """Lets every pair exchange the samples and play the behaviours."""

    def __init__(
        self,
        clients: Clients,
        address: BrokerAddress,
        namespace: str,
        known: Sequence[Deviation],
        tell: Callable[[Exchange], None],
        selection: Sequence[str] = (),
    ) -> None:
        """`tell` gets each exchange when it has been judged; `selection` names those wanted."""
        self._clients = clients
        self._known = known
        self._namespace = namespace
        self._lock = threading.Lock()
        self._tell = tell
        self._rest = PulsarRest(address)
        self._independent = IndependentClient(address)
        self._rest.create_namespace(namespace)
        self._admin = PulsarAdmin(self._rest, namespace)
        self._samples = {
            name: sample
            for name, sample in samples(namespace).items()
            if not selection or name in selection
        }
        self._behaviours = [
            one for name, one in BEHAVIOURS.items() if not selection or name in selection
        ]

    def conduct(self) -> None:
        """Play everything; what cannot be played is told with its reason."""
        with self._pool() as pool:
            sent = dict(
                zip(
                    [client.name for client in self._clients.listed],
                    pool.map(self._send, self._clients.listed),
                    strict=True,
                )
            )
            tasks = [
                pool.submit(self._read, consumer, sent) for consumer in self._clients.listed
            ] + [
                pool.submit(self._play, behaviour, self._pair(producer, consumer), f"{p}-{c}")
                for behaviour in self._behaviours
                for p, producer in enumerate(self._clients.listed)
                for c, consumer in enumerate(self._clients.listed)
            ]
            for task in tasks:
                task.result()

    @contextmanager
    def _pool(self) -> Iterator[ThreadPoolExecutor]:
        """Threads for what is played; what was not begun is dropped when the run is stopped."""
        pool = ThreadPoolExecutor(_AT_ONCE)
        try:
            yield pool
        finally:
            pool.shutdown(cancel_futures=True)

    def close(self) -> None:
        """Give the connections to the broker back."""
        self._rest.close()
        self._independent.close()

    def _control(self) -> str:
        """What a message of the harness's own client shows to be wrong; empty when it came."""
        try:
            self._independent.round_trip(
                f"persistent://{self._namespace}/control-{uuid.uuid4().hex}"
            )
        except TouchstoneError as error:
            return error.what
        return ""

    def _pair(self, producer: Client, consumer: Client) -> Pair:
        return Pair(producer, consumer, self._known)

    def _say(self, exchanges: Iterable[Exchange]) -> None:
        with self._lock:
            for exchange in exchanges:
                self._tell(exchange)

    def _queue(self, producer: Client) -> str:
        return f"samples-{[one.name for one in self._clients.listed].index(producer.name)}"

    def _names(self, producer: Client) -> list[str]:
        def sends(sample: Sample) -> bool:
            return sample.has_raw_form if producer.name == RAW_CLIENT else not sample.foreign

        return [name for name, sample in self._samples.items() if sends(sample)]

    def _send(self, producer: Client) -> Mapping[str, Sent] | str:
        partner = self._clients.partners.get(producer.name)
        names = self._names(producer)
        if partner is None:
            return self._clients.problems[producer.name]
        try:
            told = within(
                _SAMPLES_WITHIN,
                lambda: partner.send(self._queue(producer), names),
                f"sending by {producer.name}",
            )
        except _CLIENTS_FAULTS as error:
            return {name: Sent(error=thrown(error)) for name in names}
        except Exception as error:
            return thrown(error)
        return {name: Sent.of(of_one) for name, of_one in told.items()}

    def _read(self, consumer: Client, sent: Mapping[str, Mapping[str, Sent] | str]) -> None:
        for producer in self._clients.listed:
            pair, told = self._pair(producer, consumer), sent[producer.name]
            names = self._names(producer)
            why = told if isinstance(told, str) else self._clients.problems.get(consumer.name)
            if isinstance(told, str) or why:
                self._say(pair.unjudged(name, str(why)) for name in names)
                continue
            queue = self._queue(producer)
            coming = [name for name in names if not told[name].error]
            try:
                partner = self._clients.partners[consumer.name]
                by = f"by-{[one.name for one in self._clients.listed].index(consumer.name)}"
                reading = self._reading(partner, queue, by, coming)
            except _CLIENTS_FAULTS as error:
                reading = Reading(errors=[thrown(error)] * len(coming))
            except Exception as error:
                self._say(pair.unjudged(name, thrown(error)) for name in names)
                continue
            topic = f"persistent://{self._namespace}/{queue}"
            self._say(sample_exchanges(pair, topic, self._samples, told, reading))

    def _reading(self, partner: Partner, queue: str, by: str, names: Sequence[str]) -> Reading:
        read = within(_SAMPLES_WITHIN, lambda: partner.read(queue, by, names), f"reading {queue}")
        return Reading.of(read)

    def _play(self, behaviour: Behaviour, pair: Pair, suffix: str) -> None:
        for client in (pair.producer, pair.consumer):
            if problem := self._clients.problems.get(client.name):
                self._say([pair.unjudged(behaviour.name, problem)])
                return
        producer = self._clients.partners[pair.producer.name]
        consumer = self._clients.partners[pair.consumer.name]
        name = f"{behaviour.name}-{suffix}"
        sent: dict[str, Any] = {}
        try:
            view = within(
                _BEHAVIOUR_WITHIN,
                lambda: self._played(behaviour, name, producer, consumer, sent),
                behaviour.name,
            )
        except _CLIENTS_FAULTS as error:
            if why := self._control():
                self._say([pair.unjudged(behaviour.name, f"{thrown(error)}; but {why}")])
            else:
                self._say([behaviour_exchange(pair, behaviour, sent, {}, thrown(error))])
        except Exception as error:
            self._say([pair.unjudged(behaviour.name, thrown(error))])
        else:
            if view is None:
                why = "it takes more than a plain Pulsar client"
                self._say([pair.left_out(behaviour.name, why)])
            else:
                self._say([behaviour_exchange(pair, behaviour, sent, view)])

    def _played(
        self,
        behaviour: Behaviour,
        name: str,
        producer: Partner,
        consumer: Partner,
        sent: dict[str, Any],
    ) -> View | None:
        """What was seen, None where one side has no such part; `sent` is filled in on the way."""
        if behaviour.partitions:
            self._admin.create_topic(name, behaviour.partitions)
        if behaviour.sends_first:
            told = producer.act(behaviour.name, name)
            waiting = consumer.prepare(behaviour.name, name) if told else None
        else:
            waiting = consumer.prepare(behaviour.name, name)
            told = producer.act(behaviour.name, name) if waiting else None
        if waiting is None:
            return None
        with closing(waiting):
            if told is None:
                return None
            sent |= told
            if behaviour.held:
                until(lambda: self._given_out(name) >= behaviour.held, _HELD_WITHIN)
            view = dict(waiting.seen(sent))
            if behaviour.letters:
                self._arrived(name + behaviour.letters)
            if behaviour.returns:
                view |= producer.after(behaviour.name, name)
        return view

    def _arrived(self, name: str) -> None:
        """Wait until a topic holds a message; before that nobody looks at it.

        Who opens a subscription while another is being made on a new topic may wait for long.
        """
        try:
            until(
                lambda: self._admin.exists(name) and self._admin.stats(name)["msgInCounter"],
                _HELD_WITHIN,
            )
        except AssertionError:
            raise Missing(f"nothing came to {name} within {_HELD_WITHIN:g} s") from None

    def _given_out(self, name: str) -> int:
        return self._admin.subscription(name, "jms-queue").msg_out_counter
