"""A delivered message that is nobody's, for tests of what is done with those that were taken."""

from __future__ import annotations

from typing import NamedTuple

from pulsar_jms.transport.wire_messages import IncomingMessage


class Taken(NamedTuple):
    """A message as a consumer gives it."""

    message: IncomingMessage

    def without_content(self) -> Taken:
        """Another one at the same place, without its payload."""
        return Taken(self.message._replace(payload=b""))
