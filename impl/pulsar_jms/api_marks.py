"""Which requirements `jmsapi` implements: the API itself knows no documents."""

from __future__ import annotations

from jmsapi import JMSException, QueueRequestor, TopicRequestor
from jmsapi.conversions import parse_java, read_as, typed_item, typed_property
from pulsar_jms.implements import implements

implements("JMS-PROP-013..032", "JMS-BODY-008..033", "JMS-ERR-005")(read_as)
implements("JMS-PROP-029..030", "JMS-BODY-029..030")(parse_java)
implements("JMS-PROP-033", "JMS-ERR-004")(typed_property)
implements("JMS-BODY-007", "JMS-ERR-004")(typed_item)
implements("JMS-TEMP-009")(QueueRequestor)
implements("JMS-TEMP-010")(TopicRequestor)
implements("JMS-ERR-011", "JMS-ERR-026")(JMSException)
