"""Statements of the JMS Client for RabbitMQ, judged by programs that nobody wrote."""
