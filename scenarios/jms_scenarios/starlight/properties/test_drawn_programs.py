"""Properties by Starlight's documents, in drawn programs."""

from touchstone.api import judge_drawn, requirement


@requirement("SLJ-PROP-018")
def test_drawn_programs_on_values_that_are_no_properties(at_hand):
    """Values of no type of JMS are refused, before and behind other properties."""
    judge_drawn(at_hand, "properties", ("message", "text", "map"))
