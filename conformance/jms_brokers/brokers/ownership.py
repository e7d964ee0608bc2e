"""A broker as a context: it runs inside a `with`, and nothing of it is left behind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self

from jms_brokers.brokers.interface import BrokerAddress


class OwnedBroker(ABC):
    """Starts at the beginning of a `with`, closes at its end; closes too if the start fails."""

    @abstractmethod
    def start(self) -> BrokerAddress:
        """Start the broker; see `Broker`."""

    @abstractmethod
    def close(self) -> None:
        """End the broker and forget its data; see `Broker`."""

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
