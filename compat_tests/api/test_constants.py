"""Constants and enums have Kafka's names and values."""

from __future__ import annotations

import enum
from typing import Any

import pytest

from compat_tests.api.absent import reason
from compat_tests.api.names import python_class, python_name
from compat_tests.api.surface import Form, forms, kinds

CONSTANTS = [
    form
    for form in forms().values()
    if form.parameters is None and form.static and reason(form) is None
]
FIELDS = [
    form
    for form in forms().values()
    if form.parameters is None and not form.static and reason(form) is None
    if kinds()[form.owner].kind == "enum"
]
ENUMS = [
    kind.name
    for kind in kinds().values()
    if kind.kind == "enum" and not all(reason(form) for form in kind.forms)
]


@pytest.mark.parametrize("form", CONSTANTS, ids=str)
def test_a_constant_is_kafkas(form: Form) -> None:
    value = getattr(python_class(form.owner), python_name(form.name))
    if form.value is not None:
        assert value == form.value
        assert type(value) is type(form.value)
    elif isinstance(value, enum.Enum):
        assert value.name == form.name
    else:
        assert value is not None


@pytest.mark.parametrize("owner", ENUMS)
def test_an_enum_has_kafkas_values(owner: str) -> None:
    found: Any = python_class(owner)
    names = [form.name for form in kinds()[owner].forms if form.parameters is None and form.static]
    assert all(getattr(found, name) is not None for name in names)
    if issubclass(found, enum.Enum):
        # Ours may have more.
        assert set(names) <= {each.name for each in found}
        assert [found[name].name for name in names] == names
