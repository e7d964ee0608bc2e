"""How JMS operations reach the broker: one interface, one module per client underneath."""
