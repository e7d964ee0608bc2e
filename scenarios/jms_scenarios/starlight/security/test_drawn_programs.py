"""Settings and logins, and as whom the broker lets them in, in drawn programs."""

from jms_scenarios.requirement_ids import ids
from touchstone.api import broker, judge_drawn_credentials, requirement, slow


@slow
@requirement(*ids("SLJ-SEC", range(1, 10)), "SLJ-CFG-005")
@broker("auth")
def test_drawn_programs_on_credentials(at_hand):
    """Factories of any settings make connections and contexts for any user name and password."""
    judge_drawn_credentials(at_hand)
