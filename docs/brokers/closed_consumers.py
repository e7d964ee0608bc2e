# mypy: disable-error-code="attr-defined, no-any-return"
"""What a new consumer gets when consumers of a shared subscription were closed with messages left.

Usage: python closed_consumers.py pulsar://localhost:6650 [SECONDS], on a machine that is busy.
Each try sends five messages to a new topic, has three consumers acknowledge three of them, closes
these, and has a new consumer receive the two that are left. A try that went wrong is printed: what
came, and what came once another message was sent.
"""

from __future__ import annotations

import sys
import threading
import time
import uuid
from collections.abc import Sequence

import pulsar

THREADS = 14


def received(consumers: Sequence[pulsar.Consumer], seconds: float) -> str | None:
    """The next text of any of them, acknowledged; None when none came in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for consumer in consumers:
            try:
                message = consumer.receive(15)
            except pulsar.Timeout:
                continue
            consumer.acknowledge(message)
            return str(message.data().decode())
    return None


def tried(client: pulsar.Client) -> str | None:
    """What is wrong with one try; None: nothing."""
    topic = f"closed-consumers-{uuid.uuid4().hex}"

    def subscribed() -> pulsar.Consumer:
        return client.subscribe(
            topic,
            "s",
            consumer_type=pulsar.ConsumerType.Shared,
            initial_position=pulsar.InitialPosition.Earliest,
        )

    consumers = [subscribed() for _ in range(3)]
    producer = client.create_producer(topic)
    for number in range(5):
        producer.send(str(number).encode())
    before = [received(consumers, 10) for _ in range(3)]
    for consumer in consumers:
        consumer.close()
    last = subscribed()
    left = [received([last], 10) for _ in range(2)]
    wrong = None
    if sorted(map(str, before + left)) != ["0", "1", "2", "3", "4"]:
        producer.send(b"one more")
        then = [received([last], 3) for _ in range(2)]
        wrong = f"{topic}: {before}, then {left}, and with one more message {then}"
    last.close()
    producer.close()
    return wrong


def main() -> None:
    url, seconds = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 60
    client = pulsar.Client(url, logger=pulsar.ConsoleLogger(pulsar.LoggerLevel.Error))
    end = time.monotonic() + seconds
    tries: list[str | None] = []

    def work() -> None:
        while time.monotonic() < end:
            told = tried(client)
            tries.append(told)
            if told:
                print(told, flush=True)

    threads = [threading.Thread(target=work) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"{len([*filter(None, tries)])} of {len(tries)} tries went wrong")
    client.close()


if __name__ == "__main__":
    main()
