"""Damaged messages and receive(): good ones come, nothing is settled unseen, all can be closed."""

from jms_scenarios.core.trials import PATIENCE, receiving
from jmsapi import JMSException
from touchstone.api import eventually, judging, observe, requirement, slow

MILLISECONDS = round(1000 * PATIENCE)


@slow
@requirement(
    "JMS-CONS-001",
    "JMS-ORD-004",
    "JMS-REDL-007",
    "JMS-ERR-026",
    "JMS-ACK-003",
    "JMS-SESS-001",
    "JMS-SESS-007",
)
def test_receiver_gets_good_messages_among_damaged_ones(jms, name, queues, trials):
    """Whatever is damaged, and whether it is shown or refused: each good one comes, once.

    What was refused by an exception was not returned, so the session has not acknowledged it.
    """

    def receives(session):
        def receives(other):
            with session.create_consumer(other) as consumer:
                queues.send_poisoned(other, ["good-other"])
                return consumer.receive(MILLISECONDS) is not None

        return receives

    for trial in trials:
        queue, session = jms.queue(name("poison")), jms.connection().create_session()
        trial.read(queue, receiving(session.create_consumer(queue)))
        trial.use(receives(session))
        trial.close(session.close)
        trial.account_for(queue)
        if not trial.closing:
            eventually(lambda queue=queue: queues.consumers(queue) == 0)
        trial.look_again(queue)

    observe(f"receive() of damaged {trials.part} throws", trials.refused)
    with judging("JMS-CONS-001"):
        assert trials.lost == {}
    with judging("JMS-ORD-004"):
        assert trials.disordered == {}
    with judging("JMS-REDL-007"):
        assert trials.repeated == {}
    with judging("JMS-ERR-026"):
        assert trials.foreign(JMSException) == {}
    with judging("JMS-ACK-003"):
        assert trials.unaccounted == {}
    with judging("JMS-SESS-001"):
        assert trials.unusable == {}
    with judging("JMS-SESS-007"):
        assert trials.unclosed == {}
