"""What JMS permits, as a program: a model that follows a client call by call.

Written from the specification and its API alone. It knows no client, no broker and no harness, and
shares no code with the reference, so that both cannot make the same mistake.
"""
