"""What no message and no session shows alone, and the small tables that it is found from."""
