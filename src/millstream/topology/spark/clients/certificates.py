"""Certificates and keys of Kafka's Java settings, converted to PEM text for librdkafka."""

from __future__ import annotations

import os
import re
import subprocess
import textwrap
from collections.abc import Iterator
from pathlib import Path

from millstream.core.errors import ConfigException
from millstream.jars import java_command

_BLOCK = re.compile(r"-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END \1-----", re.DOTALL)
_ENTRY = re.compile(r"^Alias name: ", re.MULTILINE)
_TRUSTED = "trustedCertEntry"
_PEM_START = b"-----BEGIN "
_JKS_START = b"\xfe\xed\xfe\xed"
_PKCS12_START = b"\x30"
_PASSWORD = "KEYTOOL_STOREPASS"


def pem(key: str, text: str) -> str:
    """Return the blocks of a PEM text with normal line breaks.

    Java also accepts a block on one line, as in a properties file.

    Raises:
        ConfigException: The text has no block.
    """
    blocks = list(_blocks(text))
    if not blocks:
        raise ConfigException(
            f"Invalid value for configuration {key}: it is not PEM",
            detail='It has no "-----BEGIN ...-----" with its end.',
            hint="Give the text of the certificates or of the key, not a path.",
        )
    return "".join(blocks)


def _blocks(text: str) -> Iterator[str]:
    for kind, body in _BLOCK.findall(text):
        # An encrypted key of the old form has header lines, which must stay as they are.
        if ":" in body:
            lines = body.strip("\r\n").splitlines()
        else:
            lines = textwrap.wrap(re.sub(r"\s|\\n", "", body), 64)
        yield "\n".join([f"-----BEGIN {kind}-----", *lines, f"-----END {kind}-----", ""])


def kind_of_store(key: str, path: str) -> str:
    """Return the format of a file: ``PEM``, ``PKCS12`` or ``JKS``.

    Raises:
        ConfigException: The file cannot be read, or has another format.
    """
    try:
        with Path(path).open("rb") as file:
            start = file.read(4096)
    except OSError as error:
        raise ConfigException(
            f"Invalid value {path} for configuration {key}: it cannot be read: {error.strerror}"
        ) from error
    if start.startswith(_JKS_START):
        return "JKS"
    if _PEM_START in start:
        return "PEM"
    if start.startswith(_PKCS12_START):
        return "PKCS12"
    raise ConfigException(
        f"Invalid value {path} for configuration {key}: it is no JKS, PKCS12 or PEM file"
    )


def trusted_certificates(key: str, path: str, password: str | None) -> str:
    """Return the trusted certificates of a JKS or PKCS12 file, read with Java's ``keytool``.

    Raises:
        ConfigException: The password is wrong, the file is damaged, or has no certificate.
        JavaNotFoundError: There is no Java.
    """
    command = [str(Path(java_command()).resolve().with_name("keytool")), "-J-Duser.language=en"]
    command += ["-list", "-rfc", "-keystore", path]
    environment = dict(os.environ)
    if password is not None:
        # Not as an argument: every user of the machine sees those.
        command += ["-storepass:env", _PASSWORD]
        environment[_PASSWORD] = password
    done = subprocess.run(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    entries = _ENTRY.split(done.stdout)[1:]
    found = "".join(block for each in entries if _TRUSTED in each for block in _blocks(each))
    if done.returncode or not found:
        lines = (done.stdout or done.stderr).strip().splitlines()
        raise ConfigException(
            f"cannot read trusted certificates from {path}, the value of configuration {key}",
            detail=lines[0] if done.returncode and lines else "It has none.",
            hint="Check ssl.truststore.password; keytool -list shows what the file has.",
        )
    return found
