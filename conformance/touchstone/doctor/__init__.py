"""Examines the machine: each check looks at one thing and says what to do when it is lacking."""
