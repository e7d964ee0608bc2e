"""The documented mapping of JMS to Pulsar, one module per area: tables and pure functions.

Bytes on the wire are those of the real client, what an application sees is what the documents
say, and where they are silent the JMS specification holds. Each departure has a row in
DECISIONS.md.
"""
