"""ActiveMQ Classic."""
