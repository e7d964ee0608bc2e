"""Where a consumer's messages come from, and how they go back."""
