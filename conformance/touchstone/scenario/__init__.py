"""What a running scenario uses: judgement, waits, and the provider on its broker."""
