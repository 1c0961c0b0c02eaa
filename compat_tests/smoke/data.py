"""Input of the smoke test: seeded, shuffled, with event times that never go back."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

BASE_MS = 1_699_833_600_000
"""Time of the first record; windows of one or two days begin here."""
STEP_MS = 10
DAY_MS = 86_400_000
PARTITIONS = 2
LIMIT = 1 << 31
FLUSH = "flush"
"""Key of the records that close all windows."""

CUSTOMERS = 10
ORDERS = 60
CURRENCIES = 5
RATES = 20
HOPS = 5


@dataclass(frozen=True, slots=True)
class Sent:
    """One record of the input; its value is an int or a str."""

    topic: str
    key: str
    value: int | str
    timestamp: int
    partition: int = -1


@dataclass(frozen=True, slots=True)
class Data:
    """The whole input.

    Attributes:
        tables: Records that are read before the first of ``stream`` is sent.
        stream: Records in the order of their times.
        flush: Records that close all windows, one for each partition.
    """

    tables: Sequence[Sent]
    stream: Sequence[Sent]
    flush: Sequence[Sent] = field(default=())

    def slices(self, count: int) -> list[Sequence[Sent]]:
        """Cut ``stream`` into pieces of about the same size."""
        bounds = [len(self.stream) * n // count for n in range(count + 1)]
        return [self.stream[a:b] for a, b in itertools.pairwise(bounds)]


def make_data(seed: int, keys: int = 20, per_key: int = 1000) -> Data:
    """Return the input of a seed: ``keys`` x ``per_key`` numbers and a relational part."""
    random = Random(seed)
    total = keys * per_key
    # No zeros: the topology divides by averages.
    numbers = [
        (f"k{key:02}", value)
        for key in range(keys)
        for value in random.sample(range(key * 10 + 1, key * 10 + 1 + 2 * per_key), per_key)
    ]
    random.shuffle(numbers)
    stream: list[Sent] = []
    relational = _Relational(random)
    for n, (key, value) in enumerate(numbers):
        now = BASE_MS + n * STEP_MS
        stream.append(Sent("data", key, value, now))
        stream.extend(relational.beside(n, now))
    end = BASE_MS + total * STEP_MS + 10 * DAY_MS
    flush = tuple(Sent("data", FLUSH, 0, end, partition) for partition in range(PARTITIONS))
    return Data(tuple(_tables(random, total)), tuple(stream), flush)


def _tables(random: Random, total: int) -> list[Sent]:
    found = [Sent("customers", f"c{n}", "0", BASE_MS - 1000) for n in range(CUSTOMERS)]
    for turn in range(RATES):
        at = BASE_MS - 1000 + turn * total * STEP_MS // RATES
        found += [Sent("rates", f"x{n}", random.randrange(1, 1000), at) for n in range(CURRENCIES)]
    return found


class _Relational:
    """Makes the records of the relational part, beside the numbers."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._orders: dict[str, int] = {}
        self._customers: dict[str, int] = {}
        self._payments: list[tuple[str, str]] = []

    def beside(self, n: int, now: int) -> list[Sent]:
        found = []
        if n % 10 == 3:
            found.append(self._order(now))
        if n % 10 == 5:
            key = f"x{self._random.randrange(CURRENCIES)}"
            found.append(Sent("trades", key, self._random.randrange(1, 1000), now))
        if n % 10 == 7:
            found.append(self._payment(n, now))
        if n % 50 == 20:
            found.append(self._customer(now))
        if n % 100 == 50:
            found.append(Sent("hops", f"h{n}", HOPS, now))
        return found

    def _order(self, now: int) -> Sent:
        key = f"o{self._random.randrange(ORDERS)}"
        self._orders[key] = version = self._orders.get(key, 0) + 1
        return Sent("orders", key, f"{version}|c{self._random.randrange(CUSTOMERS)}", now)

    def _customer(self, now: int) -> Sent:
        key = f"c{self._random.randrange(CUSTOMERS)}"
        self._customers[key] = version = self._customers.get(key, 0) + 1
        return Sent("customers", key, str(version), now)

    def _payment(self, n: int, now: int) -> Sent:
        if self._payments and self._random.random() < 0.3:
            # Again, under the same key: so it is clear which of the two is the first.
            key, number = self._random.choice(self._payments)
        else:
            key, number = f"a{self._random.randrange(8)}", f"p{n}"
            self._payments.append((key, number))
        return Sent("payments", key, f"{number}:{n}", now)
