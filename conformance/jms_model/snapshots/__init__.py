"""Browsers that take snapshots, and how much of a queue they read (JMS Client for RabbitMQ)."""
