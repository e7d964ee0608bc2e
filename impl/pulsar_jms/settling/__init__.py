"""What becomes of what a session received and sent: acknowledged, delivered again, committed."""
