"""Pure checks over many messages: rows in, violations out; an empty list means that all is well."""

from touchstone.checks.lists.counting import Delivery, counts_rise, flags_counted
from touchstone.checks.lists.delivery import at_least_once, exactly_once, in_order
from touchstone.checks.lists.intervals import Interval, no_overlap, overlap
from touchstone.checks.lists.priority import overtaken
from touchstone.checks.lists.redelivery import none_again, repeats_flagged
from touchstone.checks.lists.timing import none_early

__all__ = [
    "Delivery",
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
