"""Security: whose credentials reach the broker, and by which call or setting."""

import pytest

from jms_scenarios.traffic import numbered, send, shared_out, texts
from jmsapi import (
    JMSException,
    JMSRuntimeException,
    JMSSecurityException,
    JMSSecurityRuntimeException,
)
from touchstone.api import broker, receive, refuses, requirement, slow

ROLE = "client"
LOGIN = {"jms.useCredentialsFromCreateConnection": "true"}
TOKEN_PLUGIN = "org.apache.pulsar.client.impl.auth.AuthenticationToken"
JWT = {"authPlugin": TOKEN_PLUGIN}
"""The authentication type of Pulsar's client, on which the meaning of a login depends."""
SETTINGS = [pytest.param(JWT, id="plugin-named"), pytest.param({}, id="flag-alone")]
JWT_LOGIN = {**LOGIN, **JWT}


@pytest.fixture
def token(broker_address):
    """A token of the role that may use the scenario's namespace."""
    return broker_address.token_of(ROLE)


@pytest.fixture
def forged(token):
    """That token with another signature."""
    text, _, signature = token.rpartition(".")
    return f"{text}.{'A' * len(signature)}"


@pytest.fixture
def roles_at_work(queue, admin):
    """`roles_at_work(connection)`: as whom the broker knows a consumer of this connection.

    The connection has to send a message and receive it.
    """

    def roles_at_work(connection):
        with connection.create_session() as session, session.create_consumer(queue) as consumer:
            sent = send(connection, queue, ["message"])
            assert texts([receive(consumer)]) == sent
            return admin.users(queue, "jms-queue")

    return roles_at_work


@requirement("SLJ-SEC-001")
@broker("auth")
def test_only_tokens_are_accepted(stranger, queue, roles_at_work, token):
    """A factory with a token gets in; a user name and a password that is no token do not."""
    assert roles_at_work(stranger.connection({**JWT, "authParams": f"token:{token}"})) == [ROLE]
    with refuses(JMSSecurityException):
        refused = stranger.connection(JWT_LOGIN, user_name="user", password="secret")
        send(refused, queue, ["message"])


@pytest.mark.parametrize("settings", SETTINGS)
@requirement("SLJ-SEC-002")
@broker("auth")
def test_connection_shows_the_password_to_the_broker(
    stranger, roles_at_work, token, forged, settings
):
    """With the flag createConnection(user, token) gets in, with an invalid token it does not."""
    flagged = {**LOGIN, **settings}

    connection = stranger.connection(flagged, user_name="x", password=f"token:{token}")

    assert roles_at_work(connection) == [ROLE]
    with refuses(JMSSecurityException):
        stranger.connection(flagged, user_name="x", password=f"token:{forged}")


@pytest.mark.parametrize("settings", SETTINGS)
@requirement("SLJ-SEC-003")
@broker("auth")
def test_context_shows_the_password_to_the_broker(stranger, queue, admin, token, forged, settings):
    """With the flag createContext(user, token, mode) gets in, with an invalid token it does not."""
    flagged = {**LOGIN, **settings}

    with stranger.factory(flagged).create_context("x", f"token:{token}") as context:
        consumer = context.create_consumer(queue)
        context.create_producer().send(queue, "message")
        assert texts([receive(consumer)]) == ["message"]
        assert admin.users(queue, "jms-queue") == [ROLE]
    with refuses(JMSSecurityRuntimeException):
        stranger.factory(flagged).create_context("x", f"token:{forged}")


@requirement("SLJ-SEC-004")
@broker("auth")
def test_password_is_not_used_without_the_flag(stranger, token):
    """Without the flag a valid token in createConnection or createContext does not get in."""
    with refuses(JMSSecurityException):
        stranger.connection(user_name="x", password=f"token:{token}")
    with refuses(JMSSecurityRuntimeException):
        stranger.factory().create_context("x", f"token:{token}")


@pytest.mark.parametrize("user", ["a", "", None])
@requirement("SLJ-SEC-005")
@broker("auth")
def test_user_name_is_not_looked_at(stranger, roles_at_work, token, user):
    """Any user name, none as well, gets in with a valid token, in the role of the token."""
    connection = stranger.connection(JWT_LOGIN, user_name=user, password=f"token:{token}")

    assert roles_at_work(connection) == [ROLE]


@requirement("SLJ-SEC-006")
@broker("auth")
def test_password_begins_with_the_word_token(stranger, roles_at_work, token):
    """The password is `token:` and the token; the bare token is refused."""
    connection = stranger.connection(JWT_LOGIN, user_name="x", password=f"token:{token}")

    assert roles_at_work(connection) == [ROLE]
    with refuses(JMSSecurityException):
        roles_at_work(stranger.connection(JWT_LOGIN, user_name="x", password=token))


@pytest.mark.parametrize(
    ("user", "role"),
    [pytest.param("u", "admin", id="other-token"), pytest.param("other", ROLE, id="other-user")],
)
@requirement("SLJ-SEC-007")
@broker("auth")
def test_later_connections_repeat_the_credentials(
    stranger, roles_at_work, broker_address, token, user, role
):
    """A second connection with another token or user is refused, with the same it is made."""
    factory = stranger.factory(JWT_LOGIN)
    factory.create_connection("u", f"token:{token}")

    with refuses(JMSException):
        factory.create_connection(user, f"token:{broker_address.token_of(role)}")
    with refuses(JMSRuntimeException):
        factory.create_context(user, f"token:{broker_address.token_of(role)}")
    factory.create_context("u", f"token:{token}")
    again = factory.create_connection("u", f"token:{token}")
    again.start()

    assert roles_at_work(again) == [ROLE]


@requirement("SLJ-SEC-008")
@broker("auth")
def test_factory_holds_one_client(faults, stranger, queue, admin, token):
    """What the first of three connections has opened to the broker serves them all, in one role.

    Their producers and consumers share one network connection.
    """
    proxy, address = faults.frame_proxy()
    factory = stranger.factory({**JWT_LOGIN, "brokerServiceUrl": address.service_url})
    consumers, opened = [], []
    for text in (sent := numbered(3)):
        connection = factory.create_connection("u", f"token:{token}")
        connection.start()
        session = connection.create_session()
        consumers.append(session.create_consumer(queue))
        session.create_producer(queue).send(session.create_text_message(text))
        opened.append(proxy.accepted)

    assert sorted(text for share in shared_out(consumers, 3) for text in share) == sent
    assert admin.users(queue, "jms-queue") == [ROLE] * 3
    stats = admin.stats(queue)
    rows = stats["subscriptions"]["jms-queue"]["consumers"]
    addresses = {row["address"] for row in (*rows, *stats["publishers"])}
    assert len(addresses) == 1
    opened.append(proxy.accepted)
    assert opened[0] > 0
    assert opened[1:] == opened[:1] * 3, "connections to the broker: of 1, 2, 3, and in the end"


@requirement("SLJ-SEC-009")
@broker("auth")
def test_plugin_and_parameters_are_settings(stranger, queue, roles_at_work, token):
    """A factory with Pulsar's plug-in and parameters gets in by createConnection()."""
    with refuses(JMSException):
        send(stranger.connection(), queue, ["message"])

    connection = stranger.connection({**JWT, "authParams": f"token:{token}"})

    assert roles_at_work(connection) == [ROLE]


@pytest.mark.parametrize("form", ["file:{}", "file://{}"])
@requirement("SLJ-SEC-009")
@broker("auth")
def test_token_file_is_read_when_a_connection_is_made(
    stranger, roles_at_work, broker_address, tmp_path, form
):
    """What a file holds by then is shown, though its factory was made before, as another one was.

    Until then it holds another token, or none yet.
    """
    file = tmp_path / "token"
    settings = {**JWT, "authParams": form.format(file)}
    file.write_text("none", encoding="utf-8")
    for role in (ROLE, "admin", ROLE):
        factory = stranger.factory(settings)
        file.write_text(broker_address.token_of(role), encoding="utf-8")
        with factory.create_connection() as connection:
            connection.start()
            assert roles_at_work(connection) == [role]


@slow
@requirement("SLJ-SEC-009")
@broker("tls")
def test_trusted_certificate_is_a_setting(stranger, queue, broker_address):
    """A factory with Pulsar's tlsTrustCertsFilePath trusts the broker; without it does not."""
    with refuses(JMSException):
        send(stranger.connection(), queue, ["refused"])

    connection = stranger.connection({"tlsTrustCertsFilePath": broker_address.trust_certificate})

    consumer = connection.create_session().create_consumer(queue)
    sent = send(connection, queue, ["message"])
    assert texts([receive(consumer)]) == sent
