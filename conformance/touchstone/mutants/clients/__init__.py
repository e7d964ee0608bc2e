"""Wrong clients of what the documents say of configuration, names and logins."""
