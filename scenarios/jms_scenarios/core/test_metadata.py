"""Meta data of a connection: what the provider is, and which JMSX properties it knows."""

from jms_scenarios.traffic import send, texts
from touchstone.api import observe, receive, requirement

REQUIRED_BY_1_1 = {"JMSXGroupID", "JMSXGroupSeq"}
REQUIRED = REQUIRED_BY_1_1 | {"JMSXDeliveryCount"}
ON_SEND = {"JMSXUserID", "JMSXAppID", "JMSXProducerTXID"}
ON_RECEIVE = {"JMSXDeliveryCount", "JMSXConsumerTXID", "JMSXRcvTimestamp"}
TABLE = REQUIRED | ON_SEND | ON_RECEIVE | {"JMSXState"}
IN_TRANSACTIONS = {"JMSXProducerTXID", "JMSXConsumerTXID"}


@requirement("JMS-META-001")
def test_listed_properties_are_those_of_the_table_and_are_seen(jms, queue):
    """The list has the three of every provider, none of its own, and what it has is on messages."""
    names = set(jms.connected.meta_data.jmsx_property_names)
    consumer = jms.consumer(queue)
    send(jms.connected, queue, ["hello"])
    received = receive(consumer)
    assert texts([received]) == ["hello"]
    seen = set(received.property_names())

    observe("JMSX properties that are listed", sorted(names))
    assert sorted((REQUIRED if jms.has_jms_2 else REQUIRED_BY_1_1) - names) == []
    assert sorted(names - TABLE) == []
    assert sorted((names & (ON_SEND | ON_RECEIVE)) - IN_TRANSACTIONS - seen) == []


@requirement("JMS-META-002")
def test_versions_agree_with_their_numbers(jms, at_hand):
    """It is of JMS 2.0 or of the client's 1.1; versions begin with their numbers, one is in use."""
    meta = jms.connected.meta_data
    version = (meta.jms_major_version, meta.jms_minor_version)
    observe("provider", f"{meta.jms_provider_name} {meta.provider_version}")

    assert version >= jms.oldest_version
    assert numbers(meta.jms_version) == version
    assert meta.jms_provider_name
    own = (meta.provider_major_version, meta.provider_minor_version)
    assert numbers(meta.provider_version) == own
    assert numbers(at_hand.provider.version) == own


def numbers(version):
    major, minor = version.split(".")[:2]
    return int(major), int(minor)
