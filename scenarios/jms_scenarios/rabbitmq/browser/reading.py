"""What browsers select, and what is read: of their enumerations, and by consumers."""

from jms_scenarios.traffic import texts
from touchstone.api import observe, receive_all

SELECTOR = "x = 1"


def received(consumer, count):
    """The texts of the next messages, each acknowledged."""
    messages = receive_all(consumer, count)
    messages[-1].acknowledge()
    return texts(messages)


def observe_texts(enumeration, what):
    """The texts that an enumeration lists, which are noted; so is how it fails."""
    try:
        listed = texts(enumeration)
    except Exception as error:
        observe(what, type(error).__name__)
        raise
    observe(what, listed)
    return listed
