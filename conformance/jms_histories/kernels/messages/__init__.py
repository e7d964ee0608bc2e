"""The checks of messages: all sends and deliveries of a uid, in any order."""
