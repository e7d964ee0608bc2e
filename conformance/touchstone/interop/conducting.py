"""All pairs of clients on one broker: each in a process of its own, driven from here."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Any

from jms_brokers.brokers.interface import BrokerAddress
from jms_clients.errors import ClientError
from jmsapi import JMSException, JMSRuntimeException
from touchstone.catalogue.deviations import Deviation
from touchstone.interop.behaviours import BEHAVIOURS, Behaviour
from touchstone.interop.broker_look import BrokerLook
from touchstone.interop.jms.messages import thrown
from touchstone.interop.judging import PairExchange, PairSide
from touchstone.interop.opening import Clients
from touchstone.interop.pairs import RAW_CLIENT, Pair, behaviour_exchange, sample_exchanges
from touchstone.interop.parts import Partner, Reading, SendRecord, View
from touchstone.interop.samples import SampleMessage, samples
from touchstone.interop.script import (
    LEFT,
)
from touchstone.scenario.deadline import within

_AT_ONCE = 6
"""Behaviours that are played at the same time: most of them wait."""
_SAMPLES_WITHIN = 180.0
_BEHAVIOUR_WITHIN = 120.0
"""Seconds after which a client hangs; a busy machine takes some."""
_CLIENTS_FAULTS = (JMSException, JMSRuntimeException, ClientError)


class Conductor:
    """Lets every pair exchange the samples and play the behaviours."""

    def __init__(
        self,
        clients: Clients,
        address: BrokerAddress,
        namespace: str,
        known: Sequence[Deviation],
        tell: Callable[[PairExchange], None],
        selection: Sequence[str] = (),
    ) -> None:
        """`tell` gets each exchange when it has been judged; `selection` names those wanted."""
        self._clients = clients
        self._known = known
        self._namespace = namespace
        self._lock = threading.Lock()
        self._tell = tell
        self._broker = BrokerLook(address, namespace)
        self._samples = {
            name: sample
            for name, sample in samples(namespace).items()
            if not selection or name in selection
        }
        self._behaviours = [
            behaviour
            for name, behaviour in BEHAVIOURS.items()
            if not selection or name in selection
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
        self._broker.close()

    def _pair(self, producer: PairSide, consumer: PairSide) -> Pair:
        return Pair(producer, consumer, self._known)

    def _say(self, exchanges: Iterable[PairExchange]) -> None:
        with self._lock:
            for exchange in exchanges:
                self._tell(exchange)

    def _queue(self, producer: PairSide) -> str:
        return f"samples-{[client.name for client in self._clients.listed].index(producer.name)}"

    def _names(self, producer: PairSide) -> list[str]:
        def sends(sample: SampleMessage) -> bool:
            return sample.has_raw_form if producer.name == RAW_CLIENT else not sample.foreign

        return [name for name, sample in self._samples.items() if sends(sample)]

    def _send(self, producer: PairSide) -> Mapping[str, SendRecord] | str:
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
            return {name: SendRecord(error=thrown(error)) for name in names}
        except Exception as error:
            return thrown(error)
        return {name: SendRecord.of(of_one) for name, of_one in told.items()}

    def _read(self, consumer: PairSide, sent: Mapping[str, Mapping[str, SendRecord] | str]) -> None:
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
                by = f"by-{[client.name for client in self._clients.listed].index(consumer.name)}"
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
        return replace(Reading.of(read), until=int(time.time() * 1000))

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
            if why := self._broker.problem():
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
            self._broker.create_topic(name, behaviour.partitions)
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
            if behaviour.parts:
                self._broker.require_parts(name, behaviour.parts)
            if behaviour.numbered:
                sent["sequence_ids"] = self._broker.sequence_ids(name)
            if behaviour.held:
                self._broker.await_given_out(name, behaviour.held)
            view = dict(waiting.seen(sent))
            if behaviour.settles:
                view[LEFT] = str(self._broker.left(name))
            if behaviour.letters:
                self._broker.await_message(name + behaviour.letters)
            if behaviour.returns:
                view |= producer.after(behaviour.name, name)
        return view
