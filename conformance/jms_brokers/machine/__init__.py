"""The machine that runs it: processes, memory, secrets, what works."""
