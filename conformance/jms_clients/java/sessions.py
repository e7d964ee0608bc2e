"""Sessions and contexts of a Java JMS client."""

from __future__ import annotations

from typing import Any

from jms_clients.java.consumers import (
    JavaJMSConsumer,
    JavaMessageConsumer,
    JavaQueueBrowser,
    JavaQueueReceiver,
    JavaTopicSubscriber,
)
from jms_clients.java.destinations import DESTINATION
from jms_clients.java.listeners import Excepting, Listening
from jms_clients.java.messages import MESSAGE, message_of
from jms_clients.java.objects import (
    BOOLEAN,
    NUMBER,
    SERIALIZABLE,
    TEXT,
    JavaObject,
    JavaResource,
    attribute,
    call,
    fact,
    texts,
)
from jms_clients.java.producers import (
    JavaJMSProducer,
    JavaMessageProducer,
    JavaQueueSender,
    JavaTopicPublisher,
)
from jmsapi import (
    Destination,
    ObjectMessage,
    Queue,
    TemporaryQueue,
    TemporaryTopic,
    TextMessage,
    Topic,
)


class JavaConnectionMetaData(JavaObject):
    """What a connection tells about the provider."""

    declared = "ConnectionMetaData"

    jms_version = fact("getJMSVersion", TEXT)
    jms_major_version = fact("getJMSMajorVersion", NUMBER)
    jms_minor_version = fact("getJMSMinorVersion", NUMBER)
    jms_provider_name = fact("getJMSProviderName", TEXT)
    provider_version = fact("getProviderVersion", TEXT)
    provider_major_version = fact("getProviderMajorVersion", NUMBER)
    provider_minor_version = fact("getProviderMinorVersion", NUMBER)

    @property
    def jmsx_property_names(self) -> Any:
        """The names of the JMSX properties that the provider sets."""
        return iter(texts(self.jms, self.call("getJMSXPropertyNames")))


class _Making(JavaResource):
    """What sessions and contexts make alike."""

    consumer: type[Any]

    transacted = fact("getTransacted", BOOLEAN)
    create_message = call("createMessage", gives=MESSAGE)
    create_bytes_message = call("createBytesMessage", gives=MESSAGE)
    create_map_message = call("createMapMessage", gives=MESSAGE)
    create_stream_message = call("createStreamMessage", gives=MESSAGE)
    create_queue = call("createQueue", TEXT, gives=DESTINATION)
    create_topic = call("createTopic", TEXT, gives=DESTINATION)
    create_temporary_queue = call("createTemporaryQueue", gives=DESTINATION)
    create_temporary_topic = call("createTemporaryTopic", gives=DESTINATION)
    unsubscribe = call("unsubscribe", TEXT)
    commit = call("commit")
    rollback = call("rollback")
    recover = call("recover")

    def create_object_message(self, value: object = None) -> ObjectMessage:
        """A message of one serialisable value."""
        args = () if value is None else (SERIALIZABLE.to_java(self.jms, value),)
        made: ObjectMessage = message_of(self.jms, self.call("createObjectMessage", *args))
        return made

    def create_text_message(self, text: str | None = None) -> TextMessage:
        """A message of a text."""
        args = () if text is None else (TEXT.to_java(self.jms, text),)
        made: TextMessage = message_of(self.jms, self.call("createTextMessage", *args))
        return made

    def create_consumer(
        self, destination: Destination, selector: str | None = None, no_local: bool = False
    ) -> Any:
        """A consumer of a queue, or of a topic through a subscription of its own."""
        args = self._destination(destination), *self._choice(selector, no_local)
        return self._consumer("createConsumer", args)

    def create_shared_consumer(self, topic: Topic, name: str, selector: str | None = None) -> Any:
        """One of several consumers of a subscription that ends with the last of them."""
        args = self._subscription(topic, name, self._choice(selector))
        return self._consumer("createSharedConsumer", args)

    def create_durable_consumer(
        self, topic: Topic, name: str, selector: str | None = None, no_local: bool = False
    ) -> Any:
        """The only consumer of a subscription that stays."""
        args = self._subscription(topic, name, self._full_choice(selector, no_local))
        return self._consumer("createDurableConsumer", args)

    def create_shared_durable_consumer(
        self, topic: Topic, name: str, selector: str | None = None
    ) -> Any:
        """One of several consumers of a subscription that stays."""
        args = self._subscription(topic, name, self._choice(selector))
        return self._consumer("createSharedDurableConsumer", args)

    def create_browser(self, queue: Queue, selector: str | None = None) -> JavaQueueBrowser:
        """A browser of a queue; of a topic where Java allows an application the cast to Queue."""
        java = self.jms.declared(self._destination(queue), "Queue")
        args = java, *self._choice(selector)
        return JavaQueueBrowser(self.jms, self.call("createBrowser", *args))

    def _subscription(self, topic: Topic, name: str, choice: tuple[Any, ...]) -> tuple[Any, ...]:
        return (self._destination(topic), TEXT.to_java(self.jms, name), *choice)

    def _consumer(self, method: str, args: tuple[Any, ...]) -> Any:
        return self.consumer(self.jms, self.call(method, *args))

    def _destination(self, destination: Destination | None) -> Any:
        """A destination for Java; one that was made elsewhere is made anew by its name.

        Of a temporary one that is impossible: the client is given it as it is.
        """
        elsewhere = not isinstance(destination, (JavaObject, TemporaryQueue, TemporaryTopic))
        if elsewhere and isinstance(destination, Queue):
            return self.call("createQueue", TEXT.to_java(self.jms, destination.queue_name))
        if elsewhere and isinstance(destination, Topic):
            return self.call("createTopic", TEXT.to_java(self.jms, destination.topic_name))
        return DESTINATION.to_java(self.jms, destination)

    def _choice(self, selector: str | None, no_local: bool = False) -> tuple[Any, ...]:
        """The arguments about which messages are consumed: as few as say it."""
        if no_local:
            return self._full_choice(selector, no_local)
        return () if selector is None else (TEXT.to_java(self.jms, selector),)

    def _full_choice(self, selector: str | None, no_local: bool) -> tuple[Any, ...]:
        if selector is None and not no_local:
            return ()
        return (TEXT.to_java(self.jms, selector), BOOLEAN.to_java(self.jms, no_local))


class JavaSession(Listening, _Making):
    """A session."""

    declared = "Session"
    consumer = JavaMessageConsumer

    acknowledge_mode = fact("getAcknowledgeMode", NUMBER)

    def create_producer(self, destination: Destination | None = None) -> JavaMessageProducer:
        """A producer for one destination, or for those that each send names."""
        java = self.call("createProducer", self._destination(destination))
        return JavaMessageProducer(self.jms, java)

    def create_durable_subscriber(
        self, topic: Topic, name: str, selector: str | None = None, no_local: bool = False
    ) -> JavaTopicSubscriber:
        """The only consumer of a subscription that stays, by its older name."""
        args = self._subscription(topic, name, self._full_choice(selector, no_local))
        return JavaTopicSubscriber(self.jms, self.call("createDurableSubscriber", *args))


class JavaQueueSession(JavaSession):
    """A session of the older queue-only API."""

    declared = "QueueSession"

    def create_sender(self, queue: Queue | None = None) -> JavaQueueSender:
        """A producer for a queue."""
        return JavaQueueSender(self.jms, self.call("createSender", self._destination(queue)))

    def create_receiver(self, queue: Queue, selector: str | None = None) -> JavaQueueReceiver:
        """A consumer of a queue."""
        args = self._destination(queue), *self._choice(selector)
        return JavaQueueReceiver(self.jms, self.call("createReceiver", *args))


class JavaTopicSession(JavaSession):
    """A session of the older topic-only API."""

    declared = "TopicSession"

    def create_publisher(self, topic: Topic | None = None) -> JavaTopicPublisher:
        """A producer for a topic."""
        return JavaTopicPublisher(self.jms, self.call("createPublisher", self._destination(topic)))

    def create_subscriber(
        self, topic: Topic, selector: str | None = None, no_local: bool = False
    ) -> JavaTopicSubscriber:
        """A consumer of a topic through a subscription of its own."""
        args = self._destination(topic), *self._full_choice(selector, no_local)
        return JavaTopicSubscriber(self.jms, self.call("createSubscriber", *args))


class JavaJMSContext(Excepting, _Making):
    """A connection and a session in one."""

    declared = "JMSContext"
    consumer = JavaJMSConsumer

    client_id = attribute("ClientID", TEXT)
    auto_start = attribute("AutoStart", BOOLEAN)
    session_mode = fact("getSessionMode", NUMBER)
    acknowledge = call("acknowledge")
    start = call("start")
    stop = call("stop")

    @property
    def meta_data(self) -> JavaConnectionMetaData:
        """What the provider is."""
        return JavaConnectionMetaData(self.jms, self.call("getMetaData"))

    def create_context(self, mode: int) -> JavaJMSContext:
        """Another session of the same connection."""
        return JavaJMSContext(self.jms, self.call("createContext", NUMBER.to_java(self.jms, mode)))

    def create_producer(self) -> JavaJMSProducer:
        """A producer."""
        return JavaJMSProducer(self.jms, self.call("createProducer"))
