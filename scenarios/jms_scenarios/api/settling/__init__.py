"""What JMSContext.acknowledge() settles."""
