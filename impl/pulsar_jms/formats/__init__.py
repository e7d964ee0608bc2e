"""Formats of bodies in bytes, without JMS: Java's own, AVRO, JSON, and what may be decoded."""
