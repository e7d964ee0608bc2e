"""The exceptions of the JMS API (JMS 2.0, chapter 8), and the unchecked Java ones that it names.

Java's names are kept. Every checked exception has its unchecked twin for `JMSContext`;
`runtime_exception` gives it.
"""

from __future__ import annotations


class _Reasoned(Exception):
    """A reason for people, an optional vendor code, and the cause as Python's `__cause__`."""

    def __init__(self, reason: str = "", error_code: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.error_code = error_code

    @property
    def linked_exception(self) -> BaseException | None:
        """The exception that led to this one, or None."""
        return self.__cause__


class JMSException(_Reasoned):
    """The root of all checked JMS exceptions."""


class IllegalStateException(JMSException):
    """The call does not fit the state of the object (closed, in use, wrong mode)."""


class InvalidClientIDException(JMSException):
    """The client identifier is refused by the provider."""


class InvalidDestinationException(JMSException):
    """The destination is not understood or no longer valid."""


class InvalidSelectorException(JMSException):
    """The selector's syntax is wrong."""


class JMSSecurityException(JMSException):
    """The provider refused the credentials or the right to do this."""


class MessageEOFException(JMSException):
    """The end of a stream or bytes body was reached in the middle of a read."""


class MessageFormatException(JMSException):
    """A value has a type that JMS does not allow here, or cannot be converted."""


class MessageNotReadableException(JMSException):
    """The body is write-only."""


class MessageNotWriteableException(JMSException):
    """The body or the properties are read-only."""


class ResourceAllocationException(JMSException):
    """The provider cannot allocate what the call needs."""


class TransactionInProgressException(JMSException):
    """The call is not allowed while a transaction is in progress."""


class TransactionRolledBackException(JMSException):
    """The commit became a rollback."""


class JMSRuntimeException(_Reasoned):
    """The root of the unchecked JMS exceptions, thrown by the simplified API."""


class IllegalStateRuntimeException(JMSRuntimeException):
    """Unchecked twin of `IllegalStateException`."""


class InvalidClientIDRuntimeException(JMSRuntimeException):
    """Unchecked twin of `InvalidClientIDException`."""


class InvalidDestinationRuntimeException(JMSRuntimeException):
    """Unchecked twin of `InvalidDestinationException`."""


class InvalidSelectorRuntimeException(JMSRuntimeException):
    """Unchecked twin of `InvalidSelectorException`."""


class JMSSecurityRuntimeException(JMSRuntimeException):
    """Unchecked twin of `JMSSecurityException`."""


class MessageFormatRuntimeException(JMSRuntimeException):
    """Unchecked twin of `MessageFormatException`."""


class MessageNotWriteableRuntimeException(JMSRuntimeException):
    """Unchecked twin of `MessageNotWriteableException`."""


class ResourceAllocationRuntimeException(JMSRuntimeException):
    """Unchecked twin of `ResourceAllocationException`."""


class TransactionInProgressRuntimeException(JMSRuntimeException):
    """Unchecked twin of `TransactionInProgressException`."""


class TransactionRolledBackRuntimeException(JMSRuntimeException):
    """Unchecked twin of `TransactionRolledBackException`."""


class IllegalArgumentException(ValueError):
    """java.lang.IllegalArgumentException: an argument that no state could make right."""


class NumberFormatException(IllegalArgumentException):
    """java.lang.NumberFormatException: a text or null that is no number of the type asked for."""


class NullPointerException(TypeError):
    """java.lang.NullPointerException: null where the conversion table has no value for it."""


class IndexOutOfBoundsException(IndexError):
    """java.lang.IndexOutOfBoundsException: more of an array is asked for than there is."""


class UnsupportedOperationException(RuntimeError):
    """java.lang.UnsupportedOperationException: the object was made without what the call needs."""


_RUNTIME: dict[type[JMSException], type[JMSRuntimeException]] = {
    IllegalStateException: IllegalStateRuntimeException,
    InvalidClientIDException: InvalidClientIDRuntimeException,
    InvalidDestinationException: InvalidDestinationRuntimeException,
    InvalidSelectorException: InvalidSelectorRuntimeException,
    JMSSecurityException: JMSSecurityRuntimeException,
    MessageFormatException: MessageFormatRuntimeException,
    MessageNotWriteableException: MessageNotWriteableRuntimeException,
    ResourceAllocationException: ResourceAllocationRuntimeException,
    TransactionInProgressException: TransactionInProgressRuntimeException,
    TransactionRolledBackException: TransactionRolledBackRuntimeException,
}


def runtime_exception(error: JMSException) -> JMSRuntimeException:
    """The unchecked twin of `error`, with `error` as its cause (JMS 2.0, section 8.7)."""
    twin = next((_RUNTIME[kind] for kind in type(error).__mro__ if kind in _RUNTIME), None)
    unchecked = (twin or JMSRuntimeException)(error.reason, error.error_code)
    unchecked.__cause__ = error
    return unchecked
