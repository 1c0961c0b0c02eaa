"""The page's server on a real socket: TLS, and ports and certificates that cannot be used."""

from __future__ import annotations

import json
import socket
import ssl
import urllib.request
from pathlib import Path

import pytest

from compat_tests.certificates import self_signed
from compat_tests.page.support import page_of, unstarted
from millstream.core.errors import ConfigException
from millstream.page.address import noted
from millstream.page.live import LivePage
from millstream.page.settings import PageSettings


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    return self_signed(tmp_path / "page.pem")


def secured(directory: Path, certificate: Path) -> LivePage:
    options = {
        "millstream.ui.port": 0,
        "millstream.ui.ssl.certificate.location": str(certificate),
    }
    streams = unstarted(directory)
    page = page_of(streams)
    return LivePage(streams, PageSettings.of(options), page._errors)


def test_a_page_with_a_certificate_is_served_by_tls_only(tmp_path: Path, certificate: Path) -> None:
    page = secured(tmp_path, certificate)
    page.open()
    try:
        address = noted(page.view.state_directory)
        assert address is not None
        assert address.url.startswith("https://127.0.0.1:")
        trusting = ssl.create_default_context(cafile=str(certificate))
        with urllib.request.urlopen(
            address.url + "health/live", timeout=60, context=trusting
        ) as answer:
            assert set(json.load(answer)) == {"state", "reason"}
        # A client that does not know the certificate's issuer refuses it.
        with pytest.raises(OSError, match="CERTIFICATE_VERIFY_FAILED"):
            urllib.request.urlopen(address.url + "health/live", timeout=60)
        plain = socket.create_connection(("127.0.0.1", int(address.url.split(":")[2][:-1])), 60)
        with plain:
            plain.sendall(b"GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert b"state" not in plain.recv(4096)
    finally:
        page.close()


def test_a_file_that_is_no_certificate_refuses_the_start(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.pem"
    wrong.write_text("no certificate")
    with pytest.raises(ConfigException, match=r"millstream\.ui\.ssl\.certificate\.location"):
        secured(tmp_path, wrong).open()
