"""Finds out whether nacked messages went to another consumer of the subscription.

The broker reports it to nobody, but its statistics show it: how many consumers a subscription has,
and how much of what was nacked is still to be sent. Without the administration nobody knows.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial

from jmsapi import JMSException
from pulsar_jms.timer import Timer
from pulsar_jms.transport.administration import Administration

_LOG = logging.getLogger(__name__)

_FIRST = 0.05
"""Seconds in which the broker sends again, so that most often nobody has to be asked."""
_NEXT = 0.1
"""Seconds between two questions."""


class RedeliveryTracker:
    """Asks the broker's statistics of one subscription, on the thread of a timer that may block."""

    def __init__(self, administration: Administration, subscription: str, timer: Timer) -> None:
        self._administration = administration
        self._subscription = subscription
        self._timer = timer

    def watch(
        self,
        topics: frozenset[str],
        asked_in: float,
        waits: Callable[[], bool],
        sent: Callable[[], None],
    ) -> None:
        """Call `sent` as soon as the broker has sent all of `topics` that was nacked.

        The broker is asked for the messages in `asked_in` seconds. The statistics are looked at
        from then on, while `waits` is true. A subscription with one consumer is never reported:
        that consumer gets the messages itself.
        """
        action = partial(self._look, topics, waits, sent)
        self._timer.after(asked_in + _FIRST, action)

    def _look(
        self, topics: frozenset[str], waits: Callable[[], bool], sent: Callable[[], None]
    ) -> None:
        if not waits():
            return
        try:
            everything = all(
                self._administration.all_sent_again(topic, self._subscription) for topic in topics
            )
        except JMSException as error:
            _LOG.debug("Where messages went that were nacked is not known: %s", error.reason)
            return
        if everything:
            sent()
        else:
            self._timer.after(_NEXT, partial(self._look, topics, waits, sent))
