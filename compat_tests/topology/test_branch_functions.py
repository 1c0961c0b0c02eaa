"""What the function of a branch may return."""

from __future__ import annotations

from typing import Any

import pytest

from millstream import Branched, StreamsBuilder
from millstream.core.errors import ClassCastException


@pytest.mark.parametrize(
    "found", [lambda stream: stream.groupByKey().count(), lambda stream: "a stream"]
)
def test_another_result_than_a_stream_is_refused_where_it_is_returned(found: Any) -> None:
    branches = StreamsBuilder().stream("in").split()
    with pytest.raises(ClassCastException, match=r"branch .*-large.* returned .*, not a KStream"):
        branches.branch(lambda key, value: True, Branched.withFunction(found, "-large"))


def test_none_leaves_the_branch_out() -> None:
    branches = StreamsBuilder().stream("in").split()
    branches.branch(lambda key, value: True, Branched.withFunction(lambda stream: None, "-large"))
    assert branches.noDefaultBranch() == {}
