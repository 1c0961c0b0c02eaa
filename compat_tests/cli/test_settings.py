"""Configuration of the command: files, environment, `--set`."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer

from millstream.cli.settings import entries, from_environment, read_file, streams_config
from millstream.core.errors import ConfigException
from millstream.core.properties import parsed_properties


def test_nested_tables_of_toml_are_dotted_keys(tmp_path: Path) -> None:
    file = tmp_path / "app.toml"
    file.write_text(
        'application.id = "app"\n"millstream.log" = "off"\n'
        "[spark]\nui.enabled = false\n[producer]\nlinger.ms = 5\n"
        'acks = "all"\n[bootstrap]\nservers = ["a:1", "b:2"]\n'
    )
    assert read_file(file) == {
        "application.id": "app",
        "millstream.log": "off",
        "spark.ui.enabled": False,
        "producer.linger.ms": 5,
        "producer.acks": "all",
        "bootstrap.servers": ["a:1", "b:2"],
    }


def test_later_sources_win(tmp_path: Path) -> None:
    first, second = tmp_path / "a.toml", tmp_path / "b.properties"
    first.write_text('a = "file"\nb = "file"\nc = "file"\nd = "file"\n')
    second.write_text("b=second\nc=second\nd=second\n")
    found = entries([first, second], ["d=set", "e = x=y "], {"MILLSTREAM_SET_C": "environment"})
    assert found == {"a": "file", "b": "second", "c": "environment", "d": "set", "e": "x=y"}


def test_the_environment_names_keys_as_kafkas_image_does() -> None:
    assert from_environment(
        {
            "MILLSTREAM_SET_APPLICATION_ID": "app",
            "MILLSTREAM_SET_spark_driver_extraJavaOptions": "-Xmx1g",
            "MILLSTREAM_SET_A__B_C___D": "x",
            "MILLSTREAM_SET_": "ignored",
            "MILLSTREAM_CACHE": "ignored",
        }
    ) == {"application.id": "app", "spark.driver.extraJavaOptions": "-Xmx1g", "a_b.c-d": "x"}


def test_a_text_without_an_equals_sign_is_wrong_usage() -> None:
    with pytest.raises(typer.BadParameter):
        entries(None, ["application.id"], {})


@pytest.mark.parametrize("text", ["a = ", "[a", "\x00"])
def test_a_file_that_is_not_toml_is_named(tmp_path: Path, text: str) -> None:
    file = tmp_path / "app.toml"
    file.write_text(text)
    with pytest.raises(ConfigException, match=r"app\.toml is not TOML"):
        read_file(file)


def test_a_file_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigException, match=r"none\.toml"):
        read_file(tmp_path / "none.toml")


# As java.util.Properties of Java 17 reads them.
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=b", {"a": "b"}),
        ("  a : b  ", {"a": "b  "}),
        ("a b=c", {"a": "b=c"}),
        ("a = = b", {"a": "= b"}),
        ("a\\ b\\=c=d", {"a b=c": "d"}),
        ("# a\n! b\n\n  # c\nd", {"d": ""}),
        ("a=b,\\\n   c", {"a": "b,c"}),
        ("a=b\\\\\nc=d", {"a": "b\\", "c": "d"}),
        ("a=b\\\n# c", {"a": "b# c"}),
        ("a=\\u00e9\\t\\x", {"a": "é\tx"}),
        ("a=1\r\nb=2\ra=3", {"a": "3", "b": "2"}),
        ("=x", {"": "x"}),
        ("a=b\\", {"a": "b"}),
        ('sasl.jaas.config=M required user="u";', {"sasl.jaas.config": 'M required user="u";'}),
    ],
)
def test_properties_are_read_as_java_does(text: str, expected: dict[str, str]) -> None:
    assert parsed_properties(text.encode()) == expected


def test_properties_may_be_latin_1() -> None:
    assert parsed_properties("a=é".encode("latin-1")) == {"a": "é"}


@pytest.mark.parametrize("name", ["string", "long"])
def test_short_names_of_serdes_are_known_to_every_command(name: str) -> None:
    given = {"default.key.serde": name}
    found = streams_config(given, "app").defaultKeySerde()
    # Python has a module "string".
    assert type(found).__name__ == f"{name.title()}Serde"
