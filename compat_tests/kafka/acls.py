"""A broker whose users may do only what they are granted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

# Its stubs do not export it.
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
)

from compat_tests.kafka.secured import PLAIN
from millstream.testing.broker import EmbeddedBroker
from millstream.testing.broker.ports import free_port

USER, PASSWORD = "alice", "pa55-of-alice"
_KINDS = {
    "topic": ResourceType.TOPIC,
    "group": ResourceType.GROUP,
    "transactional-id": ResourceType.TRANSACTIONAL_ID,
    "cluster": ResourceType.BROKER,
}


@dataclass(frozen=True)
class Right:
    """One operation on one resource; a name that ends with ``*`` stands for all that begin so."""

    operation: str
    kind: str
    name: str

    def binding(self) -> AclBinding:
        """Return it as the client's object."""
        prefixed = self.name.endswith("*") and self.name != "*"
        pattern = ResourcePatternType.PREFIXED if prefixed else ResourcePatternType.LITERAL
        return AclBinding(
            _KINDS[self.kind],
            self.name.rstrip("*") if prefixed else self.name,
            pattern,
            f"User:{USER}",
            "*",
            AclOperation[self.operation.upper()],
            AclPermissionType.ALLOW,
        )


@dataclass(frozen=True)
class GuardedBroker:
    """The broker, and what its one user may do."""

    broker: EmbeddedBroker
    port: int

    @property
    def servers(self) -> str:
        """Address at which clients may do everything."""
        return self.broker.bootstrap_servers

    def entries(self, password: str = PASSWORD) -> dict[str, Any]:
        """Return an application's entries for the user."""
        return {
            "bootstrap.servers": f"127.0.0.1:{self.port}",
            "security.protocol": "SASL_PLAINTEXT",
            "sasl.mechanism": "PLAIN",
            "sasl.jaas.config": f'{PLAIN} required username="{USER}" password="{password}";',
        }

    def grant(self, rights: Iterable[Right]) -> None:
        """Let the user do this and nothing else."""
        admin = AdminClient({"bootstrap.servers": self.servers})
        any_name: Any = None  # its stubs want a text
        every = AclBindingFilter(
            ResourceType.ANY,
            any_name,
            ResourcePatternType.ANY,
            any_name,
            any_name,
            AclOperation.ANY,
            AclPermissionType.ANY,
        )
        for done in admin.delete_acls([every]).values():
            done.result(30)
        wanted = [each.binding() for each in rights]
        for done in admin.create_acls(wanted).values() if wanted else ():
            done.result(30)


@contextmanager
def guarded_broker(*, java_options: Iterable[str] = ()) -> Iterator[GuardedBroker]:
    """Start a broker with an authorizer; clients of its first listener may do everything."""
    ports = {name: free_port() for name in ("PLAINTEXT", "CONTROLLER", "SASL")}
    where = {name: f"{name}://127.0.0.1:{port}" for name, port in ports.items()}
    broker = EmbeddedBroker(
        port=ports["PLAINTEXT"],
        config={
            "listeners": ",".join(where.values()),
            "advertised.listeners": f"{where['PLAINTEXT']},{where['SASL']}",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,"
            "SASL:SASL_PLAINTEXT",
            "controller.quorum.voters": f"1@127.0.0.1:{ports['CONTROLLER']}",
            "sasl.enabled.mechanisms": "PLAIN",
            "listener.name.sasl.plain.sasl.jaas.config": f"{PLAIN} required "
            f'user_{USER}="{PASSWORD}";',
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "super.users": "User:ANONYMOUS",
            "auto.create.topics.enable": False,
        },
        java_options=["-XX:+UseSerialGC", *java_options],
    )
    with broker:
        yield GuardedBroker(broker, ports["SASL"])
