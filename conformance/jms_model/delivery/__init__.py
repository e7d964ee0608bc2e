"""What a provider has to do with messages: sessions, consumers, transactions."""
