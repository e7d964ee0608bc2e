"""The transport over pulsar-client, the native client of Pulsar for Python."""
