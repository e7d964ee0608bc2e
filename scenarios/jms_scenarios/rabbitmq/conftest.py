"""What many scenarios do: fill a queue and wait until the broker has it all."""

import pytest

from jms_scenarios.traffic import numbered, send
from touchstone.api import until


@pytest.fixture
def filled(jms, queue, queues):
    """`filled(count)`: that many texts on `queue`, sent in order and all with the broker.

    RabbitMQ JMS does not wait for the broker when it sends, so one who looks at once may see less.
    """

    def filled(count, **options):
        sent = send(jms.connected, queue, numbered(count, **options))
        until(lambda: queues.pending(queue) == count)
        return sent

    return filled
