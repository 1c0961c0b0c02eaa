"""Records of Kafka Streams' changelog topics as rows of stores, and rows as records."""

from __future__ import annotations

from compat_tests.fuzz.decoder import Decoder, Maker
from compat_tests.fuzz.rooms.rows import BETWEEN, NOTES, ROWS, noted, records_of
from millstream.core.errors import UnsupportedOperationException
from millstream.core.state.changelog_format import ChangelogRecord
from millstream.stores.changelogs.formats import format_of


def from_topic(name: str) -> Decoder:
    """Records of a changelog topic that an application adopts."""
    form, headers = format_of("sums", noted(name)), records_of(name)[0].headers

    def decode(data: bytes) -> object:
        key, _, value = data.partition(BETWEEN)
        return list(form.replayed([ChangelogRecord(key, value, 12, headers)]))

    samples = [each.key + BETWEEN + (each.value or b"") for each in records_of(name)]
    return Decoder(samples, decode)


def from_rows(name: str) -> Decoder:
    """Rows of a store that an application hands back, or rescales."""
    form = format_of("sums", noted(name))

    def decode(data: bytes) -> object:
        key, _, value = data.partition(BETWEEN)
        found = list(form.records([(key, value)]))
        try:
            return found, form.record_key(key), form.merged([form.summary_of([(key, value)])])
        except UnsupportedOperationException:
            return found

    return Decoder([key + BETWEEN + value for key, value in ROWS[name]()], decode)


def _from_topic(name: str) -> Maker:
    return lambda: from_topic(name)


def _from_rows(name: str) -> Maker:
    return lambda: from_rows(name)


DECODERS: dict[str, Maker] = {
    **{f"changelog-record-{name}": _from_topic(name) for name in NOTES},
    **{f"changelog-row-{name}": _from_rows(name) for name in NOTES},
}
