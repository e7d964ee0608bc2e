"""Wrong clients of what the documents say of messages and sends."""
