"""A JMS client as a partner."""
