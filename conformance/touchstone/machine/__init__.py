"""The machine that runs it: processes, memory."""
