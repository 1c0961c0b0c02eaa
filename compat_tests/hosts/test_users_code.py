"""A failing function of the user: every host tells where it is and which lines it went through."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from compat_tests.hosts.host import TopologyHost
from millstream import Materialized, Processor, Serdes, Serializer, StreamsBuilder, StreamsException
from millstream.testing import TestRecord

TEXT = Serdes.String()


class Boom(Exception):
    pass


def boom() -> Any:
    raise Boom("of the user")


class Fails(Processor[Any, Any, Any, Any]):
    def process(self, record: Any) -> None:
        boom()


class Unwritable(Serializer[Any]):
    def serialize(self, topic: str, data: Any) -> bytes:
        return boom()  # type: ignore[no-any-return]


BADLY = Materialized.with_(TEXT, Serdes.serdeFrom(Unwritable(), TEXT.deserializer()))
BUILDS: dict[str, tuple[str, Callable[[Any], object]]] = {
    "mapper": ("lambda at ", lambda s: s.mapValues(lambda value: boom())),
    "processor": ("Fails at ", lambda s: s.process(Fails)),
    "aggregator": (
        "lambda at ",
        lambda s: s.groupByKey().aggregate(lambda: "", lambda key, value, a: boom()),
    ),
    "serde": (
        "lambda at ",
        lambda s: s.groupByKey().reduce(lambda a, value: value, BADLY),
    ),
}


@pytest.mark.parametrize(("named", "build"), BUILDS.values(), ids=BUILDS)
def test_an_error_names_the_function_and_is_caused_by_the_users_own(
    host: TopologyHost, named: str, build: Callable[[Any], Any]
) -> None:
    source, target = host.topic("in"), host.topic("out")
    builder = StreamsBuilder()
    made = build(builder.stream(source.name))
    (made.toStream() if hasattr(made, "toStream") else made).to(target.name)
    with pytest.raises(StreamsException) as caught:
        host.run(builder.build(), {}, {source: [TestRecord("k", "v", 5)]})
    assert dict(caught.value.more)["code"].startswith(f"{named}{__file__}:")
    causes: list[BaseException] = [caught.value]
    while (cause := causes[-1].__cause__) is not None:
        causes.append(cause)
    assert isinstance(causes[-1], Boom)
    assert len(str(caught.value).splitlines()) <= 12
