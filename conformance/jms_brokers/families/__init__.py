"""Families of brokers, a package each; `jms_brokers.shared.registry` finds them by entry points."""
