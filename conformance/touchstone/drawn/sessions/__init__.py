"""Programs on connections, sessions, consumers and the messages that they deliver."""
