"""Damaged messages on topics: every subscription gets what is good, whatever its kind."""

from jms_scenarios.core.trials import receiving
from jms_scenarios.poisoned import Seen
from touchstone.api import durable_consumer, judging, requirement


@requirement("JMS-SUB-001", "JMS-SUB-008", "JMS-REDL-007")
def test_subscriptions_get_good_messages_among_damaged_ones(jms, name, trials):
    """A plain subscription and a durable one each get every good message, once."""
    durable = {}
    for trial in trials:
        topic = jms.topic(name("poison"))
        session = jms.connection(client_id=name("client")).create_session()
        plain = session.create_consumer(topic)
        kept = durable_consumer(session, topic, name("durable"))
        trial.read(topic, receiving(plain))
        durable[trial.kind] = Seen()
        receiving(kept)(durable[trial.kind], trial.good)

    with judging("JMS-SUB-001"):
        assert trials.lost == {}
        assert trials.disordered == {}
    with judging("JMS-SUB-008"):
        assert trials.of(lambda trial: durable[trial.kind].lost(trial.good)) == {}
    with judging("JMS-REDL-007"):
        assert trials.repeated == {}
        assert trials.of(lambda trial: durable[trial.kind].repeated()) == {}


@requirement("JMS-SUB-010")
def test_shared_subscriptions_get_good_messages_among_damaged_ones(jms, name, trials):
    """Two consumers of a shared durable subscription get every good message together, once."""
    for trial in trials:
        topic, label = jms.topic(name("poison")), name("shared")
        session = jms.connection(client_id=name("client")).create_session()
        sharing = [session.create_shared_durable_consumer(topic, label) for _ in range(2)]
        trial.read(topic, receiving(*sharing))

    assert trials.lost == {}
    assert trials.repeated == {}
