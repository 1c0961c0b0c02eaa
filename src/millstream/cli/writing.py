"""Writing of lines to a topic, for `millstream pipe`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from confluent_kafka import KafkaError, Producer
from confluent_kafka import KafkaException as ClientException

from millstream.cli.clients import client_errors, partitions_of
from millstream.cli.options import warn
from millstream.cli.serde_names import NamedSerde
from millstream.core.config import StreamsConfig
from millstream.core.headers import Headers
from millstream.topology.spark.clients.settings import producer_settings

_FIELDS = {"key", "value", "timestamp", "partition", "headers"}
_PRINTED = {"topic", "offset", "timestampType"}
"""Fields that `millstream peek --json` prints and that say nothing here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PipeOptions:
    """The topic, and the form of the lines."""

    topic: str
    key: NamedSerde
    value: NamedSerde
    separator: str | None
    null: str | None
    json: bool


@dataclass
class WrittenCount:
    """Records acknowledged by the broker, and lines that were not written."""

    written: int = 0
    failed: int = 0

    def fail(self, line: int, reason: object) -> None:
        """Tell of a line that is not written."""
        self.failed += 1
        warn(f"line {line}: {reason}")


def write_records(config: StreamsConfig, options: PipeOptions, lines: Iterable[bytes]) -> bool:
    """Write each line as a record, and wait for the broker; tell whether all are written.

    Lines are bytes: how Python decodes its standard input depends on the locale, and some locales
    would replace what is not UTF-8.

    Raises:
        IllegalArgumentException: There is no such topic.
        StreamsException: The broker refuses or does not answer.
    """
    partitions_of(config, options.topic)
    settings = producer_settings(config) | {"delivery.report.only.error": False}
    # Kafka's own: max.message.bytes of a topic limits batches, and this client splits none.
    settings["batch.size"] = min(settings["batch.size"], 16_384)
    count = WrittenCount()
    with client_errors(f'cannot write to topic "{options.topic}"'):
        producer = Producer(settings)
        for number, line in enumerate(lines, start=1):
            _write(producer, options, line.rstrip(b"\r\n"), number, count)
        while len(producer):
            producer.flush(1)
    records = "record" if count.written == 1 else "records"
    failed = f"; {count.failed} failed" if count.failed else ""
    warn(f'{count.written:,} {records} written to "{options.topic}"{failed}')
    return not count.failed


def _write(
    producer: Producer, options: PipeOptions, raw: bytes, number: int, count: WrittenCount
) -> None:
    def delivered(error: KafkaError | None, message: Any) -> None:
        del message
        if error is None:
            count.written += 1
        else:
            count.fail(number, error.str())

    try:
        line = raw.decode()
    except UnicodeDecodeError as error:
        count.fail(number, f"it is not UTF-8: {error.reason}; --value-serde bytes takes 0x...")
        return
    try:
        headers = Headers()
        fields = _of_json(line, options, headers) if options.json else _of_text(line, options)
        record = {
            "key": options.key.write(options.topic, headers, fields.pop("key")),
            "value": options.value.write(options.topic, headers, fields.pop("value")),
            "headers": [(each.key(), each.value()) for each in headers],
            "on_delivery": delivered,
            **fields,
        }
    except Exception as error:  # noqa: BLE001 - a user's serde may raise anything
        count.fail(number, f"{type(error).__name__}: {getattr(error, 'problem', '') or error}")
        return
    while True:
        try:
            producer.produce(options.topic, **record)
            break
        except BufferError:
            producer.poll(0.1)
        except ClientException as error:
            count.fail(number, error.args[0].str())
            return
    producer.poll(0)


def _of_text(line: str, options: PipeOptions) -> dict[str, Any]:
    def parsed(serde: NamedSerde, text: str) -> Any:
        return None if text == options.null else serde.parse(text)

    if options.separator is None:
        return {"key": None, "value": parsed(options.value, line)}
    key, found, value = line.partition(options.separator)
    if not found:
        raise ValueError(f"there is no {options.separator!r} between key and value")
    return {"key": parsed(options.key, key), "value": parsed(options.value, value)}


def _of_json(line: str, options: PipeOptions, headers: Headers) -> dict[str, Any]:
    given = json.loads(line)
    if not isinstance(given, dict):
        raise TypeError("it is not a JSON object")
    unknown = given.keys() - _FIELDS - _PRINTED
    if unknown:
        raise ValueError(f"unknown fields: {', '.join(sorted(unknown))}")
    fields = {
        "key": options.key.of_json(given.get("key")),
        "value": options.value.of_json(given.get("value")),
    }
    for name in ("timestamp", "partition"):
        if given.get(name) is not None:
            if type(given[name]) is not int:
                raise ValueError(f"{name} must be a whole number")
            fields[name] = given[name]
    if fields.get("timestamp") == 0:
        raise ValueError("librdkafka cannot send timestamp 0: it would become the present time")
    found = given.get("headers") or ()
    pairs = found.items() if isinstance(found, dict) else ((h["key"], h["value"]) for h in found)
    for name, value in pairs:
        headers.add(name, None if value is None else _header(str(value)))
    return fields


def _header(text: str) -> bytes:
    return bytes.fromhex(text[2:]) if text.startswith("0x") else text.encode()
