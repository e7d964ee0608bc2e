"""The plain client of the broker as a partner, which knows nothing of JMS."""
