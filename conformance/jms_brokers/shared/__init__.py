"""What families of brokers have in common: their interface, the registry, probes, Java brokers."""
