"""Damaged messages and listeners: good ones are handed over, and the session's thread lives on."""

from jms_scenarios.core.trials import PATIENCE, hearing
from jms_scenarios.poisoned import PoisonListener
from jmsapi import JMSException
from touchstone.api import judging, observe, requirement, slow


@slow
@requirement(
    "JMS-LSN-001",
    "JMS-REDL-007",
    "JMS-ERR-026",
    "JMS-ACK-004",
    "JMS-SESS-001",
    "JMS-SESS-002",
)
def test_listener_gets_good_messages_among_damaged_ones(jms, name, queues, trials):
    """Whatever is damaged: each good message is handed over in its turn, once, and close() ends.

    What no listener was shown has not been acknowledged either.
    """

    def hears(session):
        def hears(other):
            listener = PoisonListener()
            session.create_consumer(other).message_listener = listener
            queues.send_poisoned(other, ["good-last"])
            return listener.ends(PATIENCE)

        return hears

    for trial in trials:
        queue, session = jms.queue(name("poison")), jms.connection().create_session()
        listener = PoisonListener(trial.seen)
        session.create_consumer(queue).message_listener = listener
        trial.read(queue, hearing(listener))
        trial.use(hears(session))
        trial.close(session.close)
        trial.account_for(queue)
        trial.look_again(queue)

    observe(f"a listener is shown of damaged {trials.part}", trials.shown)
    with judging("JMS-LSN-001"):
        assert trials.lost == {}
        assert trials.disordered == {}
    with judging("JMS-REDL-007"):
        assert trials.repeated == {}
    with judging("JMS-ERR-026"):
        assert trials.foreign(JMSException) == {}
    with judging("JMS-ACK-004"):
        assert trials.unaccounted == {}
    with judging("JMS-SESS-001"):
        assert trials.unusable == {}
    with judging("JMS-SESS-002"):
        assert trials.unclosed == {}
