"""What wrong clients of several areas are made by."""
