"""Message listeners: when they are called, side by side or not, and what follows when one fails."""

from threading import Barrier

import pytest

from jms_scenarios.listening import NotingListener, intervals, listen
from jms_scenarios.traffic import numbered, send
from jmsapi import SessionMode
from touchstone.api import checks, eventually, judging, receive, requirement

BRIEFLY = 0.005
"""Seconds for which a listener is busy, so that calls at the same time are seen."""
MEETING = 5.0
"""Seconds within which two listeners at work at the same time meet."""
PATIENCE = 5.0
"""Seconds within which what is due at once has come, and the broker knows what was settled."""


class FailingListener:
    """Fails with the first call for the message `first`, and keeps all that it was given.

    With the `last` call, by its number, it does `then`: the session is its own there.
    """

    def __init__(self, last=None, then=None):
        self.texts, self.redelivered, self.counts = [], [], []
        self.errors = []
        self._last, self._then = last, then

    def __call__(self, message):
        text = message.text
        fails = text == "first" and "first" not in self.texts
        self.redelivered.append(message.jms_redelivered)
        self.counts.append(message.get_int_property("JMSXDeliveryCount"))
        self.texts.append(text)
        if fails:
            raise RuntimeError("the listener fails on purpose")
        if len(self.texts) == self._last:
            try:
                self._then()
            except Exception as error:
                self.errors.append(error)

    def got(self, count):
        """A condition: so many calls."""
        return lambda: len(self.texts) >= count


@requirement("JMS-LSN-001")
def test_listener_is_called_with_each_message(jms, queue):
    """It is the consumer's, and gets a hundred messages, once each and in order."""
    consumer = jms.session().create_consumer(queue)
    listener = NotingListener()
    consumer.message_listener = listener
    assert consumer.message_listener is listener

    sent = send(jms.connected, queue, numbered(100))

    eventually(lambda: len(listener.callbacks) >= 100)
    assert listener.texts == sent


@requirement("JMS-ACK-004")
def test_what_a_slow_listener_returned_from_is_settled(jms, queue):
    """One that takes three seconds for the first of three messages: no other gets any of them."""
    connection = jms.connection()
    listener = NotingListener(takes=[3.0])
    connection.create_session().create_consumer(queue).message_listener = listener

    sent = send(jms.connected, queue, numbered(3))

    eventually(lambda: len(listener.callbacks) >= len(sent), 3 + PATIENCE)
    # It is called again when what it returned from before is settled.
    send(jms.connected, queue, ["behind"])
    listener.begins(4, PATIENCE)
    connection.close()

    assert checks.exactly_once(sent, [text for text in listener.texts if text in sent]) == []
    consumer = jms.consumer(queue)
    send(jms.connected, queue, ["marker"])
    came = list(iter(lambda: receive(consumer).text, "marker"))
    assert [text for text in came if text in sent] == []


@requirement("JMS-LSN-002")
def test_listeners_of_a_session_run_one_at_a_time(jms, topic, full_queue):
    """Those of two queues and a topic, with five messages each, never overlap."""
    connection = jms.connection(start=False)
    session = connection.create_session()
    destinations = [full_queue(5), full_queue(5), topic]
    listeners = [listen(session, each, takes=[BRIEFLY] * 5) for each in destinations]
    send(jms.connected, topic, numbered(5))

    connection.start()

    eventually(lambda: all(len(each.callbacks) >= 5 for each in listeners))
    assert checks.no_overlap(intervals(*listeners)) == []


@requirement("JMS-LSN-003")
def test_listeners_of_two_sessions_run_at_the_same_time(jms, full_queue):
    """Each waits in its call for the other one to come, and both get through."""
    barrier = Barrier(2, timeout=MEETING)
    connection = jms.connection()
    listeners = [
        listen(connection.create_session(), full_queue(1), then=lambda _: barrier.wait())
        for _ in range(2)
    ]

    eventually(lambda: all(each.callbacks for each in listeners) or barrier.broken, 2 * MEETING)
    assert not barrier.broken


@pytest.mark.usefixtures("quick")
@requirement("JMS-LSN-004", "JMS-LSN-005")
def test_message_of_a_failed_listener_comes_again(jms, name, queues):
    """Without acknowledge() it is the next to come, flagged and counted; with it, by recover().

    By the time that it has come again to the first, it has not to those who acknowledge.
    """

    def failing(mode, listener):
        queue, session = jms.queue(name("queue")), jms.session(mode)
        send(jms.connected, queue, ["first", "second"])
        session.create_consumer(queue).message_listener = listener
        return queue, session

    recovering = FailingListener(last=3, then=lambda: session.recover())
    queue, session = failing(SessionMode.CLIENT_ACKNOWLEDGE, recovering)
    modes = (SessionMode.AUTO_ACKNOWLEDGE, SessionMode.DUPS_OK_ACKNOWLEDGE)
    with judging("JMS-LSN-004"):
        listeners = [FailingListener() for _ in modes]
        for mode, listener in zip(modes, listeners, strict=True):
            failing(mode, listener)
        eventually(lambda: all(each.got(3)() for each in listeners), PATIENCE)
        for listener in listeners:
            assert listener.texts == ["first", "first", "second"]
            assert listener.redelivered == [False, True, False]
            assert listener.counts == [1, 2, 1]
    with judging("JMS-LSN-005"):
        came_by_itself = "first" in recovering.texts[1:]
        assert not came_by_itself
        assert queues.pending(queue) == 2
        send(jms.connected, queue, ["third"])
        eventually(recovering.got(6), PATIENCE)
        assert recovering.texts[:3] == ["first", "second", "third"]
        assert sorted(recovering.texts[3:]) == ["first", "second", "third"]
        assert recovering.redelivered == [False] * 3 + [True] * 3
        assert recovering.errors == []


@requirement("JMS-LSN-006")
def test_failed_listener_leaves_the_transaction_open(jms, name, queues):
    """The next message is the next to come; commit() settles both, rollback() brings both back."""
    listeners, used = {}, {}
    for ending in ("commit", "rollback"):
        session = jms.session(SessionMode.SESSION_TRANSACTED)
        listeners[ending] = FailingListener(last=2, then=getattr(session, ending))
        used[ending] = jms.queue(name(ending))
        send(jms.connected, used[ending], ["first", "second"])
        session.create_consumer(used[ending]).message_listener = listeners[ending]

    eventually(listeners["rollback"].got(4), PATIENCE)
    eventually(listeners["commit"].got(2), PATIENCE)

    assert listeners["rollback"].texts[:2] == ["first", "second"]
    assert sorted(listeners["rollback"].texts[2:]) == ["first", "second"]
    assert listeners["rollback"].redelivered == [False, False, True, True]
    assert [error for each in listeners.values() for error in each.errors] == []
    eventually(lambda: queues.pending(used["commit"]) == 0, PATIENCE)
    assert listeners["commit"].texts == ["first", "second"]


@requirement("JMS-LSN-007")
def test_failed_listener_is_reported(jms, queue, log):
    """What the client logs has an entry that names the exception."""
    listener = FailingListener()
    send(jms.connected, queue, ["first"])
    session = jms.session(SessionMode.CLIENT_ACKNOWLEDGE)
    session.create_consumer(queue).message_listener = listener

    eventually(listener.got(1), PATIENCE)

    eventually(
        lambda: any("the listener fails on purpose" in entry for entry in log.texts()), PATIENCE
    )
