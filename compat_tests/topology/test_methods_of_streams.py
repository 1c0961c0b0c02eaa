"""What streams have and tables do not is told with what to write."""

from __future__ import annotations

import pytest

from millstream import KStream, KTable, StreamsBuilder
from millstream.topology.dsl.plugged import ON_STREAMS


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("to", "to"),
        ("foreach", "foreach"),
        ("through", "repartition"),
        ("print_", "print"),
        ("flat_map", "flatMap"),
    ],
)
def test_a_table_names_the_method_of_its_stream(name: str, instead: str) -> None:
    table = StreamsBuilder().table("in")
    with pytest.raises(AttributeError, match=rf"Write toStream\(\)\.{instead}\(\)"):
        getattr(table, name)


def test_methods_of_streams_are_those_that_tables_do_not_have() -> None:
    assert [name for name in ON_STREAMS if not hasattr(KStream, name)] == []
    assert [name for name in ON_STREAMS if name in dir(KTable)] == []
