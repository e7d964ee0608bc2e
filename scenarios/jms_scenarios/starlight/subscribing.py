"""What opens each kind of consumer of a topic, whichever API `opener` is of."""


def consumer(opener, topic):
    """A TopicSession calls it a subscriber."""
    return getattr(opener, "create_subscriber", opener.create_consumer)(topic)


def durable_consumer(opener, topic, name="s1"):
    return opener.create_durable_consumer(topic, name)


def shared_consumer(opener, topic, name="s1"):
    return opener.create_shared_consumer(topic, name)


def shared_durable_consumer(opener, topic, name="s1"):
    return opener.create_shared_durable_consumer(topic, name)


def durable_subscriber(opener, topic, name="s1"):
    """A context has no such call."""
    call = getattr(opener, "create_durable_subscriber", opener.create_durable_consumer)
    return call(topic, name)


NAMED = (durable_consumer, durable_subscriber, shared_consumer, shared_durable_consumer)
"""Those whose subscription has the name that they are given."""
DURABLE = (durable_consumer, durable_subscriber, shared_durable_consumer)
NON_DURABLE = (consumer, shared_consumer)
UNSHARED = (durable_consumer, durable_subscriber)
