"""ActiveMQ Artemis."""
