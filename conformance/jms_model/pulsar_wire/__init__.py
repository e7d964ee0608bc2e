"""How JMS messages travel as Pulsar messages, by the documents of Starlight for JMS."""
