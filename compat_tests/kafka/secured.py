"""A broker with listeners for TLS and SASL, and the certificates of its clients."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Its stubs do not export it.
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AdminClient,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)

from compat_tests.kafka.tokens import Issuer, validator_jars
from millstream.jars import java_command
from millstream.testing.broker import EmbeddedBroker
from millstream.testing.broker.ports import free_port

PASSWORD = "unmistakable-pa55word"
PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"
SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule"
LISTENERS = {
    "CONTROLLER": "PLAINTEXT",
    "PLAINTEXT": "PLAINTEXT",
    "SASL": "SASL_PLAINTEXT",
    "TLS": "SSL",
    "NAMED": "SSL",
    "MUTUAL": "SSL",
    "BOTH": "SASL_SSL",
    "OAUTH": "SASL_SSL",
}


def run(directory: Path, *command: str) -> None:
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"


def keytool(directory: Path, *arguments: str) -> None:
    tool = str(Path(java_command()).resolve().with_name("keytool"))
    run(directory, tool, *arguments, "-noprompt", "-storepass", PASSWORD)


def make_certificates(directory: Path) -> None:
    """Make a CA, another one, and certificates of the broker and of clients, in every form."""
    ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    for ca in ("ca", "other"):
        files = ["-keyout", f"{ca}.key", "-out", f"{ca}.pem", "-subj", f"/CN={ca}"]
        run(directory, "openssl", "req", "-x509", *ec, *files, "-days", "2")
    for name, names, ca in (
        ("broker", "IP:127.0.0.1", "ca"),
        ("named", "DNS:elsewhere", "ca"),
        ("client", "", "ca"),
        ("stranger", "", "other"),
    ):
        files = ["-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}"]
        run(directory, "openssl", "req", *ec, *files)
        (directory / "names").write_text(f"subjectAltName={names}" if names else "")
        signer = ["-CA", f"{ca}.pem", "-CAkey", f"{ca}.key", "-CAcreateserial", "-days", "2"]
        files = ["-in", f"{name}.csr", "-out", f"{name}.pem", "-extfile", "names"]
        run(directory, "openssl", "x509", "-req", *signer, *files)
        pair = ["-inkey", f"{name}.key", "-in", f"{name}.pem", "-passout", f"pass:{PASSWORD}"]
        run(directory, "openssl", "pkcs12", "-export", *pair, "-out", f"{name}.p12")
        both = (directory / f"{name}.key").read_text() + (directory / f"{name}.pem").read_text()
        (directory / f"{name}-both.pem").write_text(both)
    for kind in ("JKS", "PKCS12"):
        for ca in ("ca", "other"):
            store = ["-keystore", f"{ca}.{kind.lower()}", "-storetype", kind]
            keytool(directory, "-importcert", "-alias", ca, "-file", f"{ca}.pem", *store)
    store = ["-destkeystore", "client.jks", "-deststoretype", "JKS"]
    source = ["-srckeystore", "client.p12", "-srcstorepass", PASSWORD]
    keytool(directory, "-importkeystore", *source, *store)


@dataclass(frozen=True)
class SecuredBroker:
    """The broker and its listeners."""

    broker: EmbeddedBroker
    directory: Path
    ports: dict[str, int]
    issuer: Issuer
    """Of the tokens that the listener OAUTH takes."""

    def at(self, listener: str) -> dict[str, Any]:
        """Return how an application gets to a listener, but for who it is."""
        return {
            "bootstrap.servers": f"127.0.0.1:{self.ports[listener]}",
            "security.protocol": LISTENERS[listener],
        }

    def path(self, name: str) -> str:
        return str(self.directory / name)

    def text(self, name: str) -> str:
        return (self.directory / name).read_text()


@contextmanager
def secured_broker(directory: Path) -> Iterator[SecuredBroker]:
    """Start it, with user alice for PLAIN and SCRAM-SHA-256.

    Without the jar that validates tokens (it could not be fetched) there is no listener OAUTH.
    """
    make_certificates(directory)
    issuer, libraries = Issuer(directory / "keys.json"), validator_jars()
    names = [name for name in LISTENERS if name != "OAUTH" or libraries]
    ports = {name: free_port() for name in names}
    broker = EmbeddedBroker(
        port=ports["PLAINTEXT"],
        config=_settings(directory, ports) | issuer.broker_settings("oauth"),
        java_options=["-XX:+UseSerialGC", *issuer.java_options()],
        libraries=libraries,
    )
    with broker:
        admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers})
        info = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096)
        new = UserScramCredentialUpsertion("alice", info, PASSWORD.encode())
        for done in admin.alter_user_scram_credentials([new]).values():
            done.result(30)
        yield SecuredBroker(broker, directory, ports, issuer)


def _settings(directory: Path, ports: dict[str, int]) -> dict[str, object]:
    where = {name: f"{name}://127.0.0.1:{port}" for name, port in ports.items()}
    advertised = ",".join(url for name, url in where.items() if name != "CONTROLLER")
    found: dict[str, object] = {
        "listeners": ",".join(where.values()),
        "advertised.listeners": advertised,
        "listener.security.protocol.map": ",".join(f"{n}:{LISTENERS[n]}" for n in ports),
        "controller.quorum.voters": f"1@127.0.0.1:{ports['CONTROLLER']}",
        "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256",
        "log.retention.ms": -1,
    }
    for name in ("sasl", "both"):
        own = f"listener.name.{name}"
        found[f"{own}.plain.sasl.jaas.config"] = f'{PLAIN} required user_alice="{PASSWORD}";'
        found[f"{own}.scram-sha-256.sasl.jaas.config"] = f"{SCRAM} required;"
    certificates = dict.fromkeys(("tls", "both", "mutual", "oauth"), "broker") | {"named": "named"}
    for name, certificate in certificates.items():
        found |= _identity(f"listener.name.{name}", directory / f"{certificate}.p12")
    found["listener.name.mutual.ssl.client.auth"] = "required"
    found["listener.name.mutual.ssl.truststore.location"] = directory / "ca.pem"
    found["listener.name.mutual.ssl.truststore.type"] = "PEM"
    return found


def _identity(listener: str, store: Path) -> dict[str, object]:
    return {
        f"{listener}.ssl.keystore.location": store,
        f"{listener}.ssl.keystore.type": "PKCS12",
        f"{listener}.ssl.keystore.password": PASSWORD,
        f"{listener}.ssl.key.password": PASSWORD,
    }


def can_make_certificates() -> bool:
    return shutil.which("openssl", path=os.environ.get("PATH")) is not None
