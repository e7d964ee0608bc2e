"""Apache Qpid Broker-J."""
