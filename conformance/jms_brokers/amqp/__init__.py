"""AMQP 1.0, as much as a judge needs: values, frames, messages, and a small client of our own."""
