"""How JMS operations reach the broker: one interface, one room per client underneath."""
