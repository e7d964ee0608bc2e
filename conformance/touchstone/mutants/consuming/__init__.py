"""Wrong clients of what the documents say of deliveries and subscriptions."""
