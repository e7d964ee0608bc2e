"""JMSX properties on a broker that knows its users."""
