"""The clients under test."""
