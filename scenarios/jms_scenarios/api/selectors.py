"""What consumers and browsers are made with as a selector, and what they tell."""

SELECTORS = {(): None, (None,): None, ("",): None, ("n = 1",): "n = 1"}
