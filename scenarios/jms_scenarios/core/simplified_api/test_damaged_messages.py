"""Damaged messages and contexts: good ones come, what is thrown is unchecked, and all closes."""

from jms_scenarios.core.trials import receiving
from jmsapi import JMSException, JMSRuntimeException
from touchstone.api import judging, requirement


@requirement("JMS-DEST-002", "JMS-CTX-015", "JMS-REDL-007", "JMS-CONN-020")
def test_context_gets_good_messages_among_damaged_ones(jms, name, trials):
    """JMSConsumer.receive() gives each good message once, or throws a JMSRuntimeException.

    What it gives is a Message, whose methods throw as those of sessions' messages do.
    """
    for trial in trials:
        queue, context = jms.queue(name("poison")), jms.context()
        trial.read(queue, receiving(context.create_consumer(queue)))
        trial.close(context.close)
        trial.look_again(queue)

    with judging("JMS-DEST-002"):
        assert trials.lost == {}
        assert trials.disordered == {}
    with judging("JMS-CTX-015"):
        checked = trials.of(lambda trial: trial.seen.refused_by(JMSException))
        assert checked == {}
        assert trials.foreign(JMSException, JMSRuntimeException) == {}
    with judging("JMS-REDL-007"):
        assert trials.repeated == {}
    with judging("JMS-CONN-020"):
        assert trials.unclosed == {}
