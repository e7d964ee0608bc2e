"""Selectors by Starlight's documents, in drawn programs."""

from touchstone.api import judge_drawn_resources, requirement, slow


@slow
@requirement("SLJ-SEL-007")
def test_drawn_programs_on_texts_that_are_no_selectors(at_hand):
    """Consumers of all kinds are refused texts that are no selectors, when they are made."""
    judge_drawn_resources(at_hand, "consumers", count=80)
