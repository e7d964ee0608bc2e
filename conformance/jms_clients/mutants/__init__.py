"""Wrong clients, each the reference with one decision changed: how they are made and found."""
