"""The transport over the Java client of Pulsar, in a JVM of this process."""
