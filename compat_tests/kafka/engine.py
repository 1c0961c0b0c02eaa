"""The Docker engine, if there is one: its images, and what dead test runs left in it."""

from __future__ import annotations

import os
from typing import Any

PUBLIC_IMAGE = "apache/kafka:4.3.1"

OWNER = "millstream-test.pid"
"""The label with the process id of the test run that a container belongs to."""


def image_name() -> str:
    return os.environ.get("MILLSTREAM_KAFKA_IMAGE") or PUBLIC_IMAGE


def docker_client() -> Any | None:
    """A client of the engine, `None` if none answers."""
    import docker
    from docker.errors import DockerException

    try:
        client = docker.from_env(timeout=60)
        client.ping()
    except DockerException:
        return None
    return client


def image_is_here(client: Any) -> bool:
    """Whether the engine has the image or can pull it."""
    from docker.errors import DockerException, ImageNotFound

    try:
        client.images.get(image_name())
    except ImageNotFound:
        try:
            client.images.pull(image_name())
        except DockerException:
            return False
    return True


def remove_left_overs() -> None:
    """Remove the containers of test runs that were killed.

    testcontainers has a reaper for that, which is an image that a machine without a registry
    cannot pull; `container.py` switches it off.
    """
    client = docker_client()
    assert client is not None
    for container in client.containers.list(all=True, filters={"label": OWNER}):
        if not os.path.exists(f"/proc/{container.labels[OWNER]}"):
            container.remove(force=True, v=True)
