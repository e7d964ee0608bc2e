"""The configuration of an ActiveMQ Classic broker for tests, as data."""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

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
          useJmx="true">
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
      <statisticsBrokerPlugin/>
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
      <transportConnector name="auto" uri="auto://{host}:{port}"/>
    </transportConnectors>
  </broker>
</beans>
"""

_ACCESS = """\
<restrict>
  <commands>
    <command>read</command>
    <command>version</command>
  </commands>
</restrict>
"""


def activemq_xml(name: str, data: str, host: str, port: int) -> str:
    """Returns `activemq.xml` of a broker that keeps its data in the folder `data`.

    Its port tells OpenWire from AMQP by the first bytes of a connection. Expired messages are
    looked for five times a second; these, where persistent, and dead letters go to `ActiveMQ.DLQ`,
    which it makes by itself.
    """
    return _XML.format(
        name=quoteattr(name),
        data=quoteattr(data),
        store=quoteattr(f"{data}/kahadb"),
        host=host,
        port=port,
    )


def access_xml() -> str:
    """Returns the policy of Jolokia's agent: its beans may be read, and nothing else."""
    return _ACCESS
