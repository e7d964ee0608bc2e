"""What an application sends by: producers, and sends that do not wait."""
