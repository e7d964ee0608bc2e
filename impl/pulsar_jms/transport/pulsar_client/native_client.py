"""The client of pulsar-client, made with a setting that its Python layer does not have.

How often it looks for new partitions can be set in the C interface of the same library alone; the
address of a configuration, for that, comes by pybind11's own way between extension modules.
"""

from __future__ import annotations

import ctypes
import logging
import os
from typing import Any, Final

import _pulsar
import certifi
import pulsar

from pulsar_jms.configuration import Settings
from pulsar_jms.transport.credentials import Credentials

_LOG = logging.getLogger(__name__)
_NATIVE_LOG = logging.getLogger("pulsar_jms.native")

_ABI: Final = b"system_libstdcpp_gxx_abi_1xxx_use_cxx11_abi_1"
"""The interface of C++ in pulsar-client's wheels for Linux; a library of another gives None."""
_TYPE: Final = "_ZTIN6pulsar19ClientConfigurationE"
_TYPE_INFO: Final = b"St9type_info"
_NEW_CAPSULE: Final = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
)(("PyCapsule_New", ctypes.pythonapi))
_POINTER: Final = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


def native_client(settings: Settings, credentials: Credentials) -> Any:
    """A client that connects when it is used first; an error of pulsar-client for a wrong URL."""
    number = settings.number
    configuration = _pulsar.ClientConfiguration()
    if authentication := credentials.native():
        configuration.authentication(authentication.auth)
    configuration.operation_timeout_seconds(-(-number("operationTimeoutMs", 30_000) // 1000))
    configuration.connection_timeout(number("connectionTimeoutMs", 10_000))
    configuration.io_threads(number("numIoThreads", 1))
    configuration.message_listener_threads(number("numListenerThreads", 1))
    configuration.concurrent_lookup_requests(number("concurrentLookupRequest", 50_000))
    configuration.stats_interval_in_seconds(number("statsIntervalSeconds", 0))
    configuration.tls_trust_certs_file_path(credentials.trust_certificate or certifi.where())
    configuration.tls_allow_insecure_connection(credentials.allow_insecure)
    configuration.tls_validate_hostname(credentials.verify_host_name)
    if listener := settings.text("listenerName", ""):
        configuration.listener_name(listener)
    _set_log(configuration)
    _look_for_partitions(
        configuration,
        min(settings.new_partitions_every(each) for each in ("producerConfig", "consumerConfig")),
    )
    client = pulsar.Client.__new__(pulsar.Client)
    client._client, client._consumers = _pulsar.Client(settings.service_url, configuration), []
    return client


def _look_for_partitions(configuration: Any, seconds: int) -> None:
    """Have a client of `configuration` look so often; with a warning where it cannot be set."""
    library = ctypes.CDLL(_pulsar.__file__)
    address = _address(configuration, library)
    if address is None:
        _LOG.warning("pulsar-client looks for new partitions once a minute: no other time is set")
        return
    library.pulsar_client_configuration_set_partitions_update_interval(
        ctypes.c_void_p(address), ctypes.c_uint(seconds)
    )


def _address(configuration: Any, library: ctypes.CDLL) -> int | None:
    """Where the C++ object is; None where this library was built otherwise."""
    try:
        kind = ctypes.addressof(ctypes.c_char.in_dll(library, _TYPE))
        wanted = _NEW_CAPSULE(kind, _TYPE_INFO, None)
        capsule = configuration._pybind11_conduit_v1_(_ABI, wanted, b"raw_pointer_ephemeral")
    except (ValueError, AttributeError):
        return None
    return None if capsule is None else int(_POINTER(capsule, _TYPE.removeprefix("_ZTI").encode()))


def _set_log(configuration: Any) -> None:
    """The client's own log: silent, or on the console at the level set for `pulsar_jms.native`.

    It does not go through Python's logging, whose locks its threads could hold for ever when the
    interpreter ends.
    """
    level = _pulsar.LoggerLevel
    if _NATIVE_LOG.level == logging.NOTSET:
        configuration.set_file_logger(level.Error, os.devnull)
    elif _NATIVE_LOG.level <= logging.DEBUG:
        configuration.set_console_logger(level.Debug)
    elif _NATIVE_LOG.level <= logging.INFO:
        configuration.set_console_logger(level.Info)
    elif _NATIVE_LOG.level <= logging.WARNING:
        configuration.set_console_logger(level.Warn)
    else:
        configuration.set_console_logger(level.Error)
