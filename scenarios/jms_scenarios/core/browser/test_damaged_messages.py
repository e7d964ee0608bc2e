"""Damaged messages and browsers: what is good is listed, and all of it stays."""

from functools import partial

from jms_scenarios.core.trials import GOOD
from jms_scenarios.poisoned import Seen, attempt, browsed
from touchstone.api import eventually, judging, observe, requirement, slow


@slow
@requirement("JMS-BRW-001", "JMS-BRW-002", "JMS-SESS-007")
def test_browser_lists_good_messages_among_damaged_ones(jms, name, queues, trials):
    """Good messages are listed in order, once; nothing that was browsed is gone.

    Enumerations of Java throw what they like: one that does is asked for what comes next.
    """

    def looked(session, queue):
        with session.create_browser(queue) as browser:
            return browsed(browser.enumeration)

    for trial in trials:
        queue, session = jms.queue(name("poison")), jms.connection().create_session()
        session.create_consumer(queue).close()
        trial.send(queue)
        eventually(lambda trial=trial, queue=queue: queues.pending(queue) == trial.came + len(GOOD))
        seen, error = attempt(partial(looked, session, queue))
        trial.seen = seen or Seen(refusals=[error])
        trial.close(session.close)
        if queues.pending(queue) != trial.came + len(GOOD):
            trial.account = "browsing took some"

    observe(f"browsers of damaged {trials.part} throw", trials.refused)
    with judging("JMS-BRW-001"):
        assert trials.unaccounted == {}
    with judging("JMS-BRW-002"):
        assert trials.lost == {}
        assert trials.disordered == {}
        assert trials.repeated == {}
    with judging("JMS-SESS-007"):
        assert trials.unclosed == {}
