"""Messages of other classes than the client's own, in drawn programs."""

from jms_scenarios.core.interop.test_interop import HandMade
from jms_scenarios.foreign_messages import Unreadable, foreign_message
from touchstone.api import judge_drawn_messages_of_others, requirement, slow


def _of_another_provider(kind, body, properties, jms_type, correlation_id, reply_to):
    """A message whose JMSReplyTo is a destination of nobody's class, too."""
    reply = None if reply_to is None else HandMade(reply_to.queue_name)
    return foreign_message(kind, body, properties, jms_type, correlation_id, reply)


@slow
@requirement("JMS-BODY-035", "JMS-INTR-002")
def test_drawn_messages_of_other_providers_arrive(at_hand):
    """Messages of all kinds are sent in every form, and again, and all of them is looked at."""
    judge_drawn_messages_of_others(at_hand, _of_another_provider, Unreadable)
