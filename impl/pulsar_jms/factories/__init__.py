"""Where an application begins: connection factories, and what opens their client of the broker."""
