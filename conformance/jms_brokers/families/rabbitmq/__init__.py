"""RabbitMQ."""
