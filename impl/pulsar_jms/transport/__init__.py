"""How JMS operations reach the broker: one interface, one package per client underneath."""
