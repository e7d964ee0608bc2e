"""What scenarios of priorities share: queues that hold messages of all levels."""

from collections import defaultdict

import pytest

from jms_scenarios.starlight.priority.levels import FEW_BATCHES
from jms_scenarios.traffic import priority_in, send_by_priority, texts_by_priority
from touchstone.api import checks


@pytest.fixture
def sent(jms, queue, admin):
    """`sent(settings, partitions, priorities)`: a queue that holds a message for each priority."""

    def sent(settings, partitions, priorities):
        if partitions:
            admin.create_topic(queue, partitions)
        session = jms.connection({**settings, **FEW_BATCHES}).create_session()
        send_by_priority(session, queue, priorities)
        return queue

    return sent


@pytest.fixture
def placed(sent, wire):
    """The same; gives the partitions of each priority, with the number of messages there."""

    def placed(settings, partitions, priorities):
        counts = defaultdict(lambda: defaultdict(int))
        messages = wire.messages(sent(settings, partitions, priorities))
        payloads = [message.payload.decode() for message in messages]
        assert checks.exactly_once(texts_by_priority(priorities), payloads) == []
        for message in messages:
            counts[priority_in(message.payload)][message.partition] += 1
        return counts

    return placed
