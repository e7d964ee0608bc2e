"""What JMS permits, as a program: a model that follows a client call by call.

Written from the specification and its API and, where a vendor's document decides a rule, from that.
It knows no harness and shares no code with any client but the API's own values and exceptions, so
that a mistake in the code of one is none in the other.
"""
