"""Wrong clients of what JMS itself says."""
