"""The users of an Artemis broker and what they may do, as data (Artemis user manual, "Security").

ADMIN may do everything, CLIENT all but ask the broker about itself, NOBODY may log in.
"""

from __future__ import annotations

from collections.abc import Mapping

from jms_brokers.brokers.profiles import ADMIN, CLIENT, NOBODY

DOMAIN = "touchstone"
"""By which the acceptor finds the entry of `login.config`."""
LOGIN = "login.config"
_USERS, _ROLES = "artemis-users.properties", "artemis-roles.properties"
_CLIENTS, _MANAGERS, _OTHERS = "clients", "managers", "others"
_OF_CLIENTS = (
    "createNonDurableQueue",
    "deleteNonDurableQueue",
    "createDurableQueue",
    "deleteDurableQueue",
    "createAddress",
    "deleteAddress",
    "send",
    "consume",
    "browse",
)
_MODULE = f"""\
{DOMAIN} {{
  org.apache.activemq.artemis.spi.core.security.jaas.PropertiesLoginModule required
    org.apache.activemq.jaas.properties.user="{_USERS}"
    org.apache.activemq.jaas.properties.role="{_ROLES}";
}};
"""


def permissions() -> str:
    """The part of `broker.xml` that says what each role may do, anywhere."""
    rows = {**dict.fromkeys(_OF_CLIENTS, _CLIENTS), "manage": _MANAGERS}
    lines = (f'<permission type="{what}" roles="{roles}"/>' for what, roles in rows.items())
    return f"""\
    <security-settings>
      <security-setting match="#">
        {" ".join(lines)}
      </security-setting>
    </security-settings>
"""


def files(passwords: Mapping[str, str]) -> Mapping[str, bytes]:
    """By name, the files of the folder with the configuration that say who the users are."""
    users = "".join(f"{user} = {password}\n" for user, password in passwords.items())
    roles = f"{_CLIENTS} = {ADMIN},{CLIENT}\n{_MANAGERS} = {ADMIN}\n{_OTHERS} = {NOBODY}\n"
    return {LOGIN: _MODULE.encode(), _USERS: users.encode(), _ROLES: roles.encode()}
