"""All ``millstream.*`` keys, with type, default, bounds and meaning.

``StreamsConfig`` refuses any other key with this prefix. docs/configuration.md has one row for
each key; a test compares it with this table.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from millstream.core.config.definition import (
    ConfigKey,
    ValueKind,
    a_port,
    at_least,
    not_blank,
    not_none,
    one_of,
    only_texts,
    within,
)
from millstream.core.errors import ConfigException

PREFIX = "millstream."

CHECKPOINT_LOCATION = "millstream.checkpoint.location"
SAVEPOINT = "millstream.savepoint"
CHECKPOINT_ADOPT = "millstream.checkpoint.adopt"
RECORDS_PER_BATCH = "millstream.max.records.per.batch"
OBSERVER_NAMES = "millstream.observer.names"
STEER_TASKS = "millstream.steer.tasks"
SEGMENT_FILES = "millstream.segment.files"
ROCKSDB_MEMORY_BYTES = "millstream.rocksdb.memory.bytes"
SINK_TOPICS = "millstream.sink.topics"
LOG = "millstream.log"
LOG_FILE = "millstream.log.file"
CHANGELOG_TOPICS = "millstream.changelog.topics"
STORE_CHANGED_OK = "millstream.store.changed.ok"
STATE_DROP = "millstream.state.drop"
STATE_RENAME = "millstream.state.rename"
STATE_CONVERT = "millstream.state.convert"
RETRY_BACKOFF = "millstream.retry.backoff.ms"
RETRY_BACKOFF_MAX = "millstream.retry.backoff.max.ms"
RETRY_TIMEOUT = "millstream.retry.timeout.ms"
RETRY_MAX_RESTARTS = "millstream.retry.max.restarts"
ISOLATE_POISON = "millstream.isolate.poison"
ISOLATE_POISON_MAX = "millstream.isolate.poison.max"
TAKEOVER = "millstream.takeover"
TAKEOVER_LEASE = "millstream.takeover.lease.ms"
CLASS_ARCHIVE = "millstream.class.archive"
UI_PORT = "millstream.ui.port"
UI_HOST = "millstream.ui.host"
UI_TOKEN = "millstream.ui.token"
UI_CERTIFICATE = "millstream.ui.ssl.certificate.location"
UI_KEY = "millstream.ui.ssl.key.location"


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnKey(ConfigKey):
    """Definition of one ``millstream.*`` key."""

    doc: str
    """The key's meaning in docs/configuration.md."""
    default_doc: str = ""
    """Description of a default that is not a constant."""

    def parse(self, given: Any) -> Any:
        # None stands for "not given", and would read as another value than the default.
        if given is None:
            if self.default is not None:
                not_none(self.name, given)
            return None
        return ConfigKey.parse(self, given)

    def row(self) -> str:
        """Return the key's row in docs/configuration.md."""
        return f"| `{self.name}` | {self.kind.value} | {self._shown_default()} | {self.doc} |"

    def _shown_default(self) -> str:
        if self.default_doc:
            return self.default_doc
        if self.default is None or self.default == ():
            return "none"
        if isinstance(self.default, bool):
            return f"`{str(self.default).lower()}`"
        return f"{self.default:,}" if isinstance(self.default, int) else f"`{self.default}`"


OWN_KEYS: dict[str, OwnKey] = {
    key.name: key
    for key in (
        OwnKey(
            name=CHECKPOINT_LOCATION,
            kind=ValueKind.STRING,
            check=not_blank,
            default_doc="`<state.dir>/<application.id>/checkpoint`",
            doc="location of the checkpoint, with progress and stores; any file system that Spark "
            "supports. A path without a scheme is one of this machine (`file:`); it is refused "
            "where Spark's default (`fs.defaultFS`) is another file system. On a cluster it must "
            "be shared",
        ),
        OwnKey(
            name=CHECKPOINT_ADOPT,
            kind=ValueKind.BOOLEAN,
            default=False,
            doc="`true`: continue from the checkpoint at this location although the application "
            "belongs to another checkpoint, or the committed offsets do not fit or are those of "
            "Kafka Streams on the JVM; set it for one start "
            "([decision 0012](decisions/0012-who-owns-an-applications-output.md))",
        ),
        OwnKey(
            name=SAVEPOINT,
            kind=ValueKind.STRING,
            check=not_blank,
            doc="directory of a savepoint, on any file system that Spark supports: an application "
            "that has no checkpoint yet begins with its state and positions; one that has goes on "
            "from there",
        ),
        OwnKey(
            name=RECORDS_PER_BATCH,
            kind=ValueKind.INT,
            default=500_000,
            check=at_least(1),
            doc="the most records that a batch reads from source topics; a sub-topology's share "
            "is that of its topics in what is not read yet. Not given, it is twice as many while "
            "full batches take less than two seconds",
        ),
        OwnKey(
            name=OBSERVER_NAMES,
            kind=ValueKind.LIST,
            check=only_texts,
            default=(),
            doc="names of observers to call; `log` writes states, failures and metrics to the "
            "logger `millstream.observers`, `opentelemetry` sends metrics and traces "
            "([live-page.md](operating/live-page.md#opentelemetry))",
        ),
        OwnKey(
            name=STEER_TASKS,
            kind=ValueKind.BOOLEAN,
            default=True,
            doc="whether a task assignor places and moves tasks "
            "([placement.md](placement.md)); `false`: Spark places them",
        ),
        OwnKey(
            name=SEGMENT_FILES,
            kind=ValueKind.BOOLEAN,
            default=True,
            doc="where the checkpoint is on a mounted file system, changes of stores are files in "
            "its directory `segments`, and Spark's own state only names them, so that a task "
            "starts sooner in another place; `false`: Spark's state has them all",
        ),
        OwnKey(
            name=ROCKSDB_MEMORY_BYTES,
            kind=ValueKind.LONG,
            default=256 << 20,
            # RocksDB maps a table for all of it: with more than some TiB the process dies.
            check=within(1, 1 << 40),
            doc="block cache and write buffers of all RocksDB stores of one worker process; at "
            "most 1 TiB",
        ),
        OwnKey(
            name=SINK_TOPICS,
            kind=ValueKind.STRING,
            default="create",
            check=one_of("create", "refuse", any_case=True),
            doc="what happens at the start if a topic that a sink writes to, or the dead letter "
            "queue, does not exist: `create` lets the broker make it, if it does, and warns with "
            "the number of its partitions; `refuse` does not start",
        ),
        OwnKey(
            name=LOG,
            kind=ValueKind.STRING,
            default="normal",
            check=one_of("off", "quiet", "normal", "verbose", any_case=True),
            doc="what is written to the terminal ([below](#log)): `quiet` failures; `normal` also "
            "warnings and progress; `verbose` everything; `off` changes nothing in Python's and "
            "Spark's own logging",
        ),
        OwnKey(
            name=LOG_FILE,
            kind=ValueKind.STRING,
            check=not_blank,
            default_doc="`<state.dir>/<application.id>/millstream.log`",
            doc="file for all records, Spark's own log included",
        ),
        OwnKey(
            name=CHANGELOG_TOPICS,
            kind=ValueKind.BOOLEAN,
            default=False,
            doc="`true`: changes of stores with logging are also written to the changelog topics "
            "of Kafka Streams, in the transactions of the output "
            "([moving.md](operating/moving.md#changelog-topics-while-it-runs))",
        ),
        OwnKey(
            name=STORE_CHANGED_OK,
            kind=ValueKind.LIST,
            check=only_texts,
            default=(),
            doc="names of stores whose serdes or window size may differ from those noted in "
            "the checkpoint: their bytes can still be read",
        ),
        OwnKey(
            name=STATE_DROP,
            kind=ValueKind.LIST,
            check=only_texts,
            default=(),
            doc="names of stores that the checkpoint has and whose entries are not wanted any more",
        ),
        OwnKey(
            name=STATE_RENAME,
            kind=ValueKind.LIST,
            check=only_texts,
            default=(),
            doc="`old:new`: the store `new` goes on with the entries that the checkpoint has for "
            "`old`",
        ),
        OwnKey(
            name=STATE_CONVERT,
            kind=ValueKind.LIST,
            check=only_texts,
            default=(),
            doc="`store:package.module.function`: a function that is given the bytes of a value as "
            "the checkpoint has them, and returns those that the new serde reads",
        ),
        OwnKey(
            name=RETRY_BACKOFF,
            kind=ValueKind.LONG,
            default=500,
            check=at_least(0),
            doc="pause before the second restart in a row that an uncaught exception handler asks "
            "for with `REPLACE_THREAD`, and before the second look whether a broker answers again; "
            "each further one is twice as long. The first restart is made at once, also after "
            "every batch that has ended",
        ),
        OwnKey(
            name=RETRY_BACKOFF_MAX,
            kind=ValueKind.LONG,
            default=60_000,
            check=at_least(0),
            doc="the longest of these pauses",
        ),
        OwnKey(
            name=RETRY_MAX_RESTARTS,
            kind=ValueKind.INT,
            default=10,
            check=at_least(0),
            doc="number of restarts in a row, without a batch that ends between them, after which "
            "the application ends with the failure although its handler asks for another; "
            "2147483647: no bound, as in Kafka Streams",
        ),
        OwnKey(
            name=RETRY_TIMEOUT,
            kind=ValueKind.LONG,
            default=-1,
            check=at_least(-1),
            doc="how long a running application waits for a broker that does not answer, before it "
            "ends; -1: as long as it takes ([below](#when-the-broker-goes-away))",
        ),
        OwnKey(
            name=ISOLATE_POISON,
            kind=ValueKind.BOOLEAN,
            default=False,
            doc="`true`: a record at which a worker process dies is found and sent to the dead "
            "letter queue, which must be set ([below](#a-record-that-kills-the-worker)); `false`: "
            "the application ends",
        ),
        OwnKey(
            name=ISOLATE_POISON_MAX,
            kind=ValueKind.INT,
            default=10,
            check=at_least(1),
            doc="the most records of one batch of a task that are sent there; one more ends the "
            "application",
        ),
        OwnKey(
            name=TAKEOVER,
            kind=ValueKind.STRING,
            default="refuse",
            check=one_of("refuse", "wait", any_case=True),
            doc="what a start does while another instance runs on the same checkpoint or in the "
            "same state directory: `refuse` raises a `LockException`; `wait` waits as a hot spare, "
            "with Spark started, and takes over when the other one has ended or is out of reach "
            "([cluster.md](operating/cluster.md#a-hot-spare))",
        ),
        OwnKey(
            name=TAKEOVER_LEASE,
            kind=ValueKind.LONG,
            default=15_000,
            check=at_least(1000),
            doc="how long an instance may fail to renew its lease on the checkpoint before another "
            "one may take over. It renews it five times as often",
        ),
        OwnKey(
            name=CLASS_ARCHIVE,
            kind=ValueKind.STRING,
            default="auto",
            check=one_of("auto", "off", any_case=True),
            doc="`auto`: the JVM of a local master starts with an archive of its classes, which an "
            "application makes the first time that it runs for a while "
            "([latency.md](operating/latency.md#a-shorter-start)); `off`: neither",
        ),
        OwnKey(
            name=UI_PORT,
            kind=ValueKind.INT,
            check=a_port,
            default_doc="none: no page",
            doc="port of the [live page](operating/live-page.md), which the driver serves; 0: any "
            "free one, which the log names",
        ),
        OwnKey(
            name=UI_HOST,
            kind=ValueKind.STRING,
            check=not_blank,
            default="127.0.0.1",
            doc="address that the page listens at; `0.0.0.0` for every address of the machine. Set "
            "a token, too, unless it is this machine's own",
        ),
        OwnKey(
            name=UI_TOKEN,
            kind=ValueKind.STRING,
            check=not_blank,
            doc="secret that the page asks for; every route but `/health` needs it",
        ),
        OwnKey(
            name=UI_CERTIFICATE,
            kind=ValueKind.STRING,
            check=not_blank,
            doc="PEM file of the certificate, with its chain: the page is served by TLS",
        ),
        OwnKey(
            name=UI_KEY,
            kind=ValueKind.STRING,
            check=not_blank,
            doc="PEM file of its private key; by default the certificate's file has it",
        ),
    )
}
"""By name, in the order of docs/configuration.md."""


def refuse_unknown(names: Iterable[str]) -> None:
    """Check that every ``millstream.*`` key among ``names`` is one of ``OWN_KEYS``.

    Raises:
        ConfigException: A key is unknown.
    """
    for name in names:
        if name.startswith(PREFIX) and name not in OWN_KEYS:
            close = _close(name)
            raise ConfigException(
                f"Unknown configuration '{name}'",
                detail=f"The keys of millstream are: {', '.join(OWN_KEYS)}.",
                hint=f'Did you mean "{close}"?' if close else "",
            )


def _close(name: str) -> str | None:
    """Return the key that was probably meant."""
    longer = [key for key in OWN_KEYS if key.startswith(name + ".")]
    close = longer or difflib.get_close_matches(name, OWN_KEYS, n=1)
    return close[0] if close else None
