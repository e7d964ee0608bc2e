"""Levels of priority: the settings that make them count, and messages of each level."""

from collections import defaultdict
from random import Random
from statistics import mean

from jms_scenarios.traffic import priority_in, texts

SWITCHED_ON = {"jms.enableJMSPriority": True}
LINEAR = {**SWITCHED_ON, "jms.priorityMapping": "linear"}
NON_LINEAR = {**SWITCHED_ON, "jms.priorityMapping": "non-linear"}
FEW_BATCHES = {"producerConfig": {"batchingMaxPublishDelayMicros": 50_000}}
"""Many messages to an entry, which is how they are read back."""
LEVELS = range(10)


def shuffled(counts):
    """`counts[priority]` times each priority, in an order that has nothing to do with it."""
    priorities = [priority for priority, count in counts.items() for _ in range(count)]
    Random(len(priorities)).shuffle(priorities)
    return priorities


def priorities(messages):
    """The priority that the text of each message names."""
    return [priority_in(text) for text in texts(messages)]


def mean_positions(received):
    """For each priority its mean position among those received."""
    positions = defaultdict(list)
    for position, priority in enumerate(received):
        positions[priority].append(position)
    return {priority: mean(places) for priority, places in positions.items()}
