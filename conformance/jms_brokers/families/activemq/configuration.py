"""The configuration of an ActiveMQ Classic broker for tests, as data."""

from __future__ import annotations

from collections.abc import Mapping
from xml.sax.saxutils import quoteattr

from jms_brokers.brokers.limits import NONE, Limits, given_settings
from jms_brokers.brokers.profiles import NOBODY

STATISTICS = "ActiveMQ.Statistics.Destination."
"""What the name of a destination is put after to ask the statistics plug-in about it."""

_XML = """\
<beans xmlns="http://www.springframework.org/schema/beans"
       xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
       xsi:schemaLocation="http://www.springframework.org/schema/beans
         http://www.springframework.org/schema/beans/spring-beans.xsd
         http://activemq.apache.org/schema/core
         http://activemq.apache.org/schema/core/activemq-core.xsd">
  <broker xmlns="http://activemq.apache.org/schema/core" brokerName={name} dataDirectory={data}
          useJmx="true" populateUserNameInMBeans="true">
    <destinationPolicy>
      <policyMap>
        <policyEntries>
          <policyEntry queue=">" expireMessagesPeriod="200"/>
          <policyEntry topic=">" expireMessagesPeriod="200"/>
        </policyEntries>
      </policyMap>
    </destinationPolicy>
    <managementContext>
      <managementContext createConnector="false"/>
    </managementContext>
    <plugins>
{accounts}{limits}      <statisticsBrokerPlugin/>
    </plugins>
    <persistenceAdapter>
      <kahaDB directory={store} journalMaxFileLength="4mb"/>
    </persistenceAdapter>
    <systemUsage>
      <systemUsage>
        <memoryUsage><memoryUsage percentOfJvmHeap="70"/></memoryUsage>
        <storeUsage><storeUsage limit="8gb"/></storeUsage>
        <tempUsage><tempUsage limit="1gb"/></tempUsage>
      </systemUsage>
    </systemUsage>
    <transportConnectors>
      <transportConnector name="auto" uri="auto://{host}:{port}{connector}/>
    </transportConnectors>
  </broker>
</beans>
"""

_CLIENTS, _OTHERS = "clients", "others"
_ACCOUNTS = """\
      <simpleAuthenticationPlugin><users>{users}</users></simpleAuthenticationPlugin>
      <authorizationPlugin>
        <map>
          <authorizationMap>
            <authorizationEntries>
              <authorizationEntry queue=">" read="{clients}" write="{clients}" admin="{clients}"/>
              <authorizationEntry topic=">" read="{clients}" write="{clients}" admin="{clients}"/>
              <authorizationEntry topic="ActiveMQ.Advisory.>"
                  read="{all}" write="{all}" admin="{all}"/>
            </authorizationEntries>
            <tempDestinationAuthorizationEntry>
              <tempDestinationAuthorizationEntry
                  read="{clients}" write="{clients}" admin="{clients}"/>
            </tempDestinationAuthorizationEntry>
          </authorizationMap>
        </map>
      </authorizationPlugin>
"""
"""Every connection reads and makes topics of advice."""

_ACCESS = """\
<restrict>
  <commands>
    <command>read</command>
    <command>version</command>
  </commands>
</restrict>
"""


def activemq_xml(
    name: str,
    data: str,
    host: str,
    port: int,
    passwords: Mapping[str, str] | None = None,
    limits: Limits = NONE,
) -> str:
    """Return `activemq.xml` of a broker that keeps its data in the folder `data`.

    With `passwords`, by user, it asks who a client is, and lets NOBODY log in and no more.

    Its port knows OpenWire from AMQP by the first bytes of a connection. Expired messages are
    looked for five times a second; these, where persistent, and dead letters go to `ActiveMQ.DLQ`,
    which it makes by itself.
    """
    return _XML.format(
        name=quoteattr(name),
        data=quoteattr(data),
        store=quoteattr(f"{data}/kahadb"),
        host=host,
        port=port,
        accounts=_accounts(passwords) if passwords else "",
        limits=_plugin(limits),
        connector=_connector(limits),
    )


def _accounts(passwords: Mapping[str, str]) -> str:
    users = "".join(
        f"<authenticationUser username={quoteattr(user)} password={quoteattr(password)} "
        f"groups={quoteattr(_OTHERS if user == NOBODY else _CLIENTS)}/>"
        for user, password in passwords.items()
    )
    return _ACCOUNTS.format(users=users, clients=_CLIENTS, all=f"{_CLIENTS},{_OTHERS}")


def _connector(limits: Limits) -> str:
    """The end of the connector's URL, and what follows this attribute."""
    option = f"?maximumConnections={limits.connections}" if limits.connections else ""
    attributes = given_settings(
        maximumConsumersAllowedPerConnection=limits.each,
        maximumProducersAllowedPerConnection=limits.each,
    )
    return f'{option}"' + "".join(f' {name}="{value}"' for name, value in attributes.items())


def _plugin(limits: Limits) -> str:
    """The line for the plug-in that shortens times to live."""
    if limits.time_to_live is None:
        return ""
    return f'      <timeStampingBrokerPlugin ttlCeiling="{limits.time_to_live}"/>\n'


def access_xml() -> str:
    """Return the policy of Jolokia's agent: its beans may be read, and nothing else."""
    return _ACCESS
