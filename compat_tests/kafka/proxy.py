"""A TCP proxy before a broker that cuts, delays or swallows requests of a kind.

It reads the header of each request: its length, what it asks for (api key), its version and its
correlation id. The broker must have a listener that it advertises with the proxy's port:

    with KafkaProxy(upstream_port=9093) as proxy:
        rule = proxy.rule(api="EndTxn", at=3, do=cut)
        ...
        assert rule.struck.wait(60)
"""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from typing_extensions import Self

APIS = {
    0: "Produce",
    1: "Fetch",
    2: "ListOffsets",
    3: "Metadata",
    8: "OffsetCommit",
    9: "OffsetFetch",
    10: "FindCoordinator",
    18: "ApiVersions",
    22: "InitProducerId",
    24: "AddPartitionsToTxn",
    25: "AddOffsetsToTxn",
    26: "EndTxn",
    28: "TxnOffsetCommit",
}
_HEADER = struct.Struct(">ihhi")
_MOST_BYTES = 1 << 30


@dataclass(frozen=True, slots=True)
class Action:
    """What happens to a request.

    Attributes:
        name: For reports.
        sends: Whether the broker gets it.
        answers: Whether the client gets the answer.
        cuts: Whether the connection is closed instead.
        delay_s: How long the request waits before it is sent.
    """

    name: str
    sends: bool = True
    answers: bool = True
    cuts: bool = False
    delay_s: float = 0.0


cut = Action("cut", sends=False, answers=False, cuts=True)
"""Close the connection instead of sending the request."""
cut_answer = Action("cut_answer", answers=False, cuts=True)
"""Send the request, and close the connection before its answer."""
swallow_request = Action("swallow_request", sends=False, answers=False)
"""Do not send the request; the connection stays open."""
swallow_answer = Action("swallow_answer", answers=False)
"""Send the request, and drop its answer; the connection stays open."""


def delay(seconds: float) -> Action:
    """Send the request later."""
    return Action("delay", delay_s=seconds)


@dataclass(slots=True)
class Rule:
    """Strikes requests of one kind: those from number ``at`` on, ``times`` of them."""

    api: str
    at: int
    do: Action
    times: int = 1
    then: Callable[[], object] | None = None
    """Called, in the proxy's thread, when a request has been struck: after its answer came."""
    struck: threading.Event = field(default_factory=threading.Event)
    seen: int = 0

    def strikes(self, api: str) -> bool:
        """Count a request, and tell whether it is to be struck."""
        if api != self.api:
            return False
        self.seen += 1
        return self.at <= self.seen < self.at + self.times


class KafkaProxy:
    """A proxy between clients and one listener of a broker.

    Args:
        upstream_port: The listener's own port on 127.0.0.1.
        port: The proxy's port; a free one is chosen if it is None.
    """

    def __init__(self, upstream_port: int, port: int | None = None) -> None:
        self._upstream_port = upstream_port
        self._socket = socket.create_server(("127.0.0.1", port or 0))
        self.port: int = self._socket.getsockname()[1]
        self.counts: Counter[str] = Counter()
        """Requests by kind since the start."""
        self._rules: list[Rule] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="kafka-proxy", daemon=True)
        self._writers: set[asyncio.StreamWriter] = set()

    def rule(
        self,
        *,
        api: str,
        do: Action,
        at: int = 1,
        times: int = 1,
        then: Callable[[], object] | None = None,
    ) -> Rule:
        """Add a rule; requests are counted from now on."""
        if api not in APIS.values():
            raise ValueError(f"no request is called {api!r}; there are {sorted(APIS.values())}")
        rule = Rule(api, at, do, times, then)
        self._rules.append(rule)
        return rule

    def clear(self) -> None:
        """Remove all rules."""
        self._rules.clear()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._socket.close()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        serving = asyncio.start_server(self._serve, sock=self._socket, limit=1 << 20)
        self._loop.run_until_complete(serving)
        self._loop.run_forever()
        for writer in list(self._writers):
            writer.transport.abort()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there = await asyncio.open_connection("127.0.0.1", self._upstream_port, limit=1 << 20)
        except OSError:
            writer.transport.abort()
            return
        link = _Link(self, reader, writer, *there)
        self._writers |= {writer, there[1]}
        await link.run()
        self._writers -= {writer, there[1]}

    def action_for(self, api: str) -> tuple[Action | None, Rule | None]:
        """Count a request; return what happens to it, if a rule says so."""
        self.counts[api] += 1
        for rule in list(self._rules):
            if rule.strikes(api):
                return rule.do, rule
        return None, None


class _Link:
    """One client's connection and its own connection to the broker."""

    def __init__(
        self,
        proxy: KafkaProxy,
        client: asyncio.StreamReader,
        to_client: asyncio.StreamWriter,
        broker: asyncio.StreamReader,
        to_broker: asyncio.StreamWriter,
    ) -> None:
        self._proxy = proxy
        self._client, self._to_client = client, to_client
        self._broker, self._to_broker = broker, to_broker
        self._marked: dict[int, Rule] = {}
        """Correlation id -> the rule whose request waits for its answer."""

    async def run(self) -> None:
        pumps = [asyncio.ensure_future(self._requests()), asyncio.ensure_future(self._answers())]
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)
            for writer in (self._to_client, self._to_broker):
                writer.transport.abort()

    async def _requests(self) -> None:
        while (frame := await _frame(self._client)) is not None:
            _, key, _, correlation = _HEADER.unpack_from(frame)
            action, rule = self._proxy.action_for(APIS.get(key, str(key)))
            if action is None or rule is None:
                await _send(self._to_broker, frame)
                continue
            if action.delay_s:
                await asyncio.sleep(action.delay_s)
            if action.sends:
                self._marked[correlation] = rule
                await _send(self._to_broker, frame)
            else:
                _strike(rule)
                if action.cuts:
                    return

    async def _answers(self) -> None:
        while (frame := await _frame(self._broker)) is not None:
            rule = self._marked.pop(struct.unpack_from(">i", frame, 4)[0], None)
            if rule is not None:
                _strike(rule)
                if rule.do.cuts:
                    return
                if not rule.do.answers:
                    continue
            await _send(self._to_client, frame)


def _strike(rule: Rule) -> None:
    if rule.then is not None:
        rule.then()
    rule.struck.set()


async def _frame(reader: asyncio.StreamReader) -> bytes | None:
    """Return the next message with its length; None at the end of the connection."""
    try:
        head = await reader.readexactly(4)
        size = struct.unpack(">i", head)[0]
        if not 0 <= size <= _MOST_BYTES:
            return None
        return head + await reader.readexactly(size)
    except (asyncio.IncompleteReadError, OSError):
        return None


async def _send(writer: asyncio.StreamWriter, frame: bytes) -> None:
    writer.write(frame)
    await writer.drain()
