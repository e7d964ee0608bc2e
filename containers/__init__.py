"""Images of the brokers, of Spark and of Touchstone, made without a registry: `make images`."""
