"""Pure checks over many messages: rows in, violations out; an empty list means that all is well."""

from touchstone.scenario.checks.counting import CountedDelivery, counts_rise, flags_counted
from touchstone.scenario.checks.delivery import at_least_once, exactly_once, in_order
from touchstone.scenario.checks.intervals import Interval, no_overlap, overlap
from touchstone.scenario.checks.priority import overtaken
from touchstone.scenario.checks.redelivery import none_again, repeats_flagged
from touchstone.scenario.checks.timing import none_early

__all__ = [
    "CountedDelivery",
    "Interval",
    "at_least_once",
    "counts_rise",
    "exactly_once",
    "flags_counted",
    "in_order",
    "no_overlap",
    "none_again",
    "none_early",
    "overlap",
    "overtaken",
    "repeats_flagged",
]
