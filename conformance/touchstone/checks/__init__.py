"""Pure checks over many messages: rows in, violations out; an empty list means that all is well."""

from touchstone.checks.delivery import at_least_once, exactly_once, in_order
from touchstone.checks.intervals import Interval, no_overlap, overlap

__all__ = ["Interval", "at_least_once", "exactly_once", "in_order", "no_overlap", "overlap"]
