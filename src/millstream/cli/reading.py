"""Reading and printing of a topic's records, for `millstream peek`."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from confluent_kafka import Consumer, KafkaError, Message, TopicPartition
from confluent_kafka import KafkaException as ClientException

from millstream.cli.clients import TIMEOUT_S, client_errors, partitions_of
from millstream.cli.options import print_json_line, warn
from millstream.cli.serde_names import NamedSerde, as_json, as_text
from millstream.core.config import StreamsConfig
from millstream.core.errors import IllegalArgumentException
from millstream.core.headers import Headers
from millstream.topology.spark.clients.settings import consumer_settings

_POLL_S, _SILENCE_S = 0.2, 30.0
_TYPES = {1: "CreateTime", 2: "LogAppendTime"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PeekOptions:
    """The records to print, and the form."""

    topic: str
    key: NamedSerde
    value: NamedSerde
    start: str
    most: int | None
    partitions: tuple[int, ...]
    follow: bool
    uncommitted: bool
    json: bool


def read_records(config: StreamsConfig, options: PeekOptions) -> bool:
    """Print records; tell whether every one could be deserialized.

    Raises:
        IllegalArgumentException: There is no such topic, partition or place.
        StreamsException: The broker refuses or does not answer.
    """
    count = partitions_of(config, options.topic)
    chosen = options.partitions or tuple(range(count))
    wrong = [number for number in chosen if not 0 <= number < count]
    if wrong:
        raise IllegalArgumentException(
            f'topic "{options.topic}" has no partition {wrong[0]}',
            detail=f"It has partitions 0 to {count - 1}.",
        )
    settings = consumer_settings(config, f"millstream-peek-{uuid.uuid4().hex[:8]}")
    settings |= {
        "isolation.level": "read_uncommitted" if options.uncommitted else "read_committed",
        "enable.partition.eof": True,
        "auto.offset.reset": "error",
    }
    fine, told = True, set[str]()
    consumer = Consumer(settings)
    with client_errors(f'cannot read topic "{options.topic}"'), suppress(KeyboardInterrupt):
        try:
            consumer.assign(_places(consumer, options, chosen))
            for message in _records(consumer, options, set(chosen)):
                fine = _printed(message, options, told) and fine
        finally:
            consumer.close()
    return fine


def _places(
    consumer: Consumer, options: PeekOptions, chosen: tuple[int, ...]
) -> list[TopicPartition]:
    found = []
    for number in chosen:
        place = TopicPartition(options.topic, number)
        low, high = consumer.get_watermark_offsets(place, TIMEOUT_S)
        place.offset = _offset(options.start, low, high)
        _tell_if_outside(place, options.start)
        found.append(place)
    return found


def _tell_if_outside(place: TopicPartition, start: str) -> None:
    """Tell on standard error that a partition does not have the offset that was asked for."""
    if start.isdecimal() and int(start) != place.offset:
        what = "ends before" if place.offset < int(start) else "has no longer"
        warn(f"partition {place.partition} {what} offset {start}: reading from {place.offset}")


def _offset(start: str, low: int, high: int) -> int:
    if start in ("earliest", "latest"):
        return low if start == "earliest" else high
    offset = int(start)
    return min(high, max(low, high + offset if start.startswith("-") else offset))


def _records(consumer: Consumer, options: PeekOptions, waiting: set[int]) -> Iterator[Message]:
    """Yield records; without ``--follow`` up to the end of each partition."""
    left, heard = options.most, time.monotonic()
    while left is None or left > 0:
        message = consumer.poll(_POLL_S)
        if message is None:
            if not options.follow and time.monotonic() - heard > _SILENCE_S:
                raise ClientException(KafkaError(KafkaError._TIMED_OUT, "No answer"))
            continue
        heard = time.monotonic()
        error = message.error()
        if error is None:
            yield message
            left = None if left is None else left - 1
        elif error.code() == KafkaError._PARTITION_EOF:
            waiting.discard(message.partition() or 0)
            if not waiting and not options.follow:
                return
        else:
            raise ClientException(error)


def _printed(message: Message, options: PeekOptions, told: set[str]) -> bool:
    headers: Any = message.headers() or []
    topic, errors = message.topic() or "", list[str]()
    native = Headers()
    for name, data in headers:
        native.add(name, data)

    def read(serde: NamedSerde, data: Any, what: str) -> Any:
        raw = None if data is None else bytes(data)
        call: Callable[[str, Any, bytes | None], Any] = serde.read
        try:
            return call(topic, native, raw)
        except Exception as error:  # noqa: BLE001 - a user's serde may raise anything
            text = getattr(error, "problem", "") or str(error)
            errors.append(f"{what}: {type(error).__name__}: {text}")
            _tell_once(error, told)
            return raw

    key = read(options.key, message.key(), "key")
    value = read(options.value, message.value(), "value")
    kind, timestamp = message.timestamp()
    if options.json:
        record = {
            "topic": topic,
            "partition": message.partition(),
            "offset": message.offset(),
            "timestamp": timestamp if kind in _TYPES else None,
            "timestampType": _TYPES.get(kind),
            "headers": [{"key": name, "value": as_json(data)} for name, data in headers],
            "key": as_json(key),
            "value": as_json(value),
        }
        print_json_line(record | ({"error": "; ".join(errors)} if errors else {}))
    else:
        parts = [f"{topic}-{message.partition()}@{message.offset()}", _time(kind, timestamp)]
        parts += [f"key={as_text(key)}", f"value={as_text(value)}"]
        parts += [f"headers={_headers(headers)}"] if headers else []
        parts += [f"error={'; '.join(errors)}"] if errors else []
        print("  ".join(parts), flush=True)
    return not errors


def _tell_once(error: Exception, told: set[str]) -> None:
    """Tell why, and what to do, on standard error: once for all records with the same hint."""
    hint = getattr(error, "hint", "")
    if hint and hint not in told:
        told.add(hint)
        warn(" ".join(part for part in (getattr(error, "detail", ""), hint) if part))


def _time(kind: int, timestamp: int) -> str:
    if kind not in _TYPES:
        return "no-timestamp"
    try:
        moment = datetime.fromtimestamp(timestamp / 1000, tz=timezone.utc)
    except (ValueError, OverflowError, OSError):
        return str(timestamp)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{timestamp % 1000:03d}Z"


def _headers(headers: list[tuple[str, Any]]) -> str:
    return "{" + ", ".join(f"{name}: {as_text(data)}" for name, data in headers) + "}"
