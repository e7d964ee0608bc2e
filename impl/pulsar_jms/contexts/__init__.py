"""The simplified API over connections, sessions, producers and consumers."""
