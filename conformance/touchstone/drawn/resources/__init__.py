"""Programs on what a factory makes, in which no message is delivered."""
