"""Which Pulsar topic a JMS destination is, and which subscription a consumer has (Starlight)."""
