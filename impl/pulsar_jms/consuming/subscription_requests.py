"""From what the application asked for to the request that the transport carries out."""

from __future__ import annotations

from dataclasses import replace

from pulsar_jms.configuration import Settings
from pulsar_jms.consuming.message_filter import SERVER_SIDE, MessageFilter
from pulsar_jms.implements import implements
from pulsar_jms.mapping import subscriptions
from pulsar_jms.mapping.destinations import PulsarDestination
from pulsar_jms.mapping.priority import consumer_metadata
from pulsar_jms.mapping.server_filtering import filter_metadata
from pulsar_jms.mapping.subscriptions import ConsumerKind
from pulsar_jms.selectors.at_broker import means_the_same
from pulsar_jms.transport.transport_protocol import SubscriptionRequest, SubscriptionType


@implements("SLJ-CFG-004")
def subscription_request(
    kind: ConsumerKind,
    destination: PulsarDestination,
    name: str | None,
    client_id: str | None,
    mode_name: str,
    settings: Settings,
) -> SubscriptionRequest:
    """The request for one consumer; errors as those of `mapping.subscriptions`."""
    subscription = subscriptions.subscription_for(
        kind,
        destination,
        name,
        client_id,
        queue_subscription=settings.queue_subscription,
        shared_type=settings.shared_type,
        exclusive_simple=settings.flag("jms.useExclusiveSubscriptionsForSimpleConsumers", True),
    )
    source = destination.source(settings.namespace)
    return SubscriptionRequest(
        source.topics,
        subscription.name,
        SubscriptionType(subscription.type),
        subscription.durable,
        subscription.earliest,
        {
            "jms.destination.type": destination.KIND,
            "jms.acknowledgeMode": mode_name,
            **consumer_metadata(settings.priority_mapping),
        },
        prefetch=settings.receiver_queue_size,
        prefetch_of_all_partitions=settings.number(
            "consumerConfig.maxTotalReceiverQueueSizeAcrossPartitions", 50_000
        ),
        consumer_name=settings.text("consumerConfig.consumerName", "") or None,
        batch_index=settings.flag("consumerConfig.batchIndexAckEnabled", True),
        pattern=source.pattern,
        discovery_period=settings.number("consumerConfig.patternAutoDiscoveryPeriod", 1),
        compacted=settings.flag("consumerConfig.readCompacted", False),
        replicated=settings.flag("consumerConfig.replicateSubscriptionState", False),
        new_partitions_every=settings.new_partitions_every("consumerConfig"),
        tuning=settings.tuning("consumerConfig."),
    )


def with_filter_metadata(
    request: SubscriptionRequest,
    destination: PulsarDestination,
    message_filter: MessageFilter,
    settings: Settings,
) -> SubscriptionRequest:
    """The request with what the broker's filter may do for the client, which checks all the same.

    A selector that the filter might understand otherwise is for the client alone.
    """
    server_side = settings.flag(SERVER_SIDE, False)
    selector = message_filter.selector
    metadata = filter_metadata(
        destination.KIND,
        selector.text if server_side and selector and means_the_same(selector) else None,
        message_filter.not_from,
        server_side=server_side,
        acknowledge_rejected=settings.flag("jms.acknowledgeRejectedMessages", False),
    )
    if not metadata:
        return request
    return replace(
        request,
        properties={**request.properties, **metadata},
        subscription_properties={"jms.destination.type": destination.KIND} if server_side else {},
    )
