"""Brokers of any product: start one, look into it, cut its connections, damage its messages.

It knows no client, no scenario and no verdict, so any test of what talks to a broker can use it.
"""
