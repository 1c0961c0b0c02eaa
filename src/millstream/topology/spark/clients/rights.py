"""Rights at a broker with an authorizer: what a refusal names, and how to grant it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from confluent_kafka import KafkaError

from millstream.core.errors import AuthorizationException, StreamsException

GUIDE = "docs/operating/security.md"
_KINDS: Mapping[int | None, str] = {
    KafkaError.TOPIC_AUTHORIZATION_FAILED: "topic",
    KafkaError.GROUP_AUTHORIZATION_FAILED: "group",
    KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED: "transactional-id",
    KafkaError.CLUSTER_AUTHORIZATION_FAILED: "cluster",
}
_IN_JAVA = re.compile(
    r"errors\.(Topic|Group|TransactionalId|Cluster)AuthorizationException(?:: ([^\n]*))?"
)
_NAMED = re.compile(r"\[([^\]]+)\]|group: (\S+)")
_SUBSCRIBED = re.compile(r"KafkaV2\[Subscribe\[([^\]]+)\]\]")
"""The topics of Spark's sources, which it adds to the error that ends a query."""
_JAVA_KINDS = {
    "Topic": "topic",
    "Group": "group",
    "TransactionalId": "transactional-id",
    "Cluster": "cluster",
}


@dataclass(frozen=True, slots=True)
class Right:
    """An operation on a resource, by the names that ``kafka-acls.sh`` takes.

    A resource's name that ends with ``*`` stands for all that begin so.
    """

    operation: str
    kind: str
    name: str = ""

    def text(self) -> str:
        """Return it for an error: ``Read on topic "in"``."""
        return (
            f'{self.operation} on {self.kind} "{self.name}"'
            if self.name
            else (f"{self.operation} on the {self.kind}")
        )

    def command(self) -> str:
        """Return the arguments that grant it."""
        resource = f"--{self.kind}"
        if self.name or self.kind == "topic":
            resource += f" {self.name.removesuffix('*') or 'TOPIC'}"
        if self.name.endswith("*"):
            resource += " --resource-pattern-type prefixed"
        return f"kafka-acls.sh --add --allow-principal User:NAME --operation {self.operation} " + (
            resource
        )


def kind_of(code: int | None) -> str | None:
    """Return the kind of resource that a broker's refusal is about; None for another error."""
    return _KINDS.get(code)


def not_allowed(problem: str, right: Right, said: str) -> StreamsException:
    """Return the error for a right that the user lacks.

    Args:
        problem: What was attempted.
        right: What is needed.
        said: The broker's or the client's own words.
    """
    detail = f"The broker does not allow the application's user {right.text()}: {said}."
    failure = StreamsException(
        problem, detail=detail, hint=f"Grant it: {right.command()} (see {GUIDE})."
    )
    failure.__cause__ = AuthorizationException(problem, detail=detail)
    return failure


def not_allowed_in(text: str) -> StreamsException | None:
    """Return the error for a refusal that a client of the JVM reports; None if there is none."""
    found = _IN_JAVA.search(text)
    if found is None:
        return None
    said = (found[2] or "").strip()
    named = _NAMED.search(said)
    right = Right("Read", _JAVA_KINDS[found[1]], str(named[1] or named[2]) if named else "")
    read = f"{right.kind} {right.name}"
    if right.kind == "topic" and not named:
        # A right that is taken away while the query runs: a request for offsets names no topic.
        topics = {each for names in _SUBSCRIBED.findall(text) for each in names.split(", ")}
        if len(topics) == 1:
            right = Right("Read", "topic", *topics)
        read = " or ".join(f'topic "{each}"' for each in sorted(topics)) or "one of its topics"
    return not_allowed(f"Spark's Kafka source may not read {read}", right, said.removesuffix("."))
