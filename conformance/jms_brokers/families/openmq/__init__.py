"""Eclipse OpenMQ, the reference implementation of Jakarta Messaging."""
