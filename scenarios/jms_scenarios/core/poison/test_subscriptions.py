"""Damaged messages on topics: every subscription gets what is good, whatever its kind."""

from jms_scenarios.core.poison.trials import GOOD, PATIENCE
from jms_scenarios.poisoned import received, received_by
from touchstone.api import judging, requirement


@requirement("JMS-SUB-001", "JMS-SUB-008", "JMS-SUB-010", "JMS-REDL-009")
def test_subscriptions_get_good_messages_among_damaged_ones(jms, name, trials):
    """A plain, a durable and a shared durable subscription with two consumers get each good one."""
    durable, shared = {}, {}
    for trial in trials:
        topic = jms.topic(name("poison"))
        session = jms.connection(client_id=name("client")).create_session()
        plain = session.create_consumer(topic)
        kept = session.create_durable_consumer(topic, name("durable"))
        one, other = (
            session.create_shared_durable_consumer(topic, label) for label in [name("shared")] * 2
        )
        trial.send(topic)
        trial.seen = received(plain, PATIENCE)
        durable[trial.kind] = received(kept, PATIENCE)
        shared[trial.kind] = received_by((one, other), GOOD, PATIENCE)

    with judging("JMS-SUB-001"):
        assert trials.lost == {}
        assert trials.disordered == {}
    with judging("JMS-SUB-008"):
        assert trials.of(lambda trial: durable[trial.kind].lost(GOOD)) == {}
    with judging("JMS-SUB-010"):
        assert trials.of(lambda trial: shared[trial.kind].lost(GOOD)) == {}
        assert trials.of(lambda trial: shared[trial.kind].repeated()) == {}
    with judging("JMS-REDL-009"):
        assert trials.repeated == {}
        assert trials.of(lambda trial: durable[trial.kind].repeated()) == {}
