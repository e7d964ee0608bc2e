"""The harness: drives JMS clients through scenarios on real brokers and judges what it sees."""
