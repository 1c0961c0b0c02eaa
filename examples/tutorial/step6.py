"""Step 6 of the tutorial: reminders of unpaid orders, and questions to the stores."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from examples.tutorial.step1 import TEXT, Order, good_orders, write_receipts
from examples.tutorial.step2 import NUMBER, count_orders
from examples.tutorial.step3 import spent_by_hour, write_spent
from examples.tutorial.step4 import confirm, deliver, read_customers
from examples.tutorial.step5 import alert
from millstream import (
    Consumed,
    ContextualProcessor,
    JsonSerde,
    KafkaStreams,
    KeyQuery,
    KeyValueStore,
    KStream,
    ProcessorContext,
    Produced,
    PunctuationType,
    Record,
    StateQueryRequest,
    Stores,
    StreamsBuilder,
    Topology,
)

DAY = timedelta(days=1) // timedelta(milliseconds=1)
STORE = "unpaid"


@dataclass(frozen=True)
class Unpaid:
    """What is still to be paid of an order, and since when it was not asked for."""

    cents: int
    since: int


class Reminders(ContextualProcessor[str, int, str, str]):
    """Adds what is ordered, subtracts what is paid, and reminds once a day."""

    def init(self, context: ProcessorContext[str, str]) -> None:
        super().init(context)
        self._unpaid: KeyValueStore[str, Unpaid] = context.getStateStore(STORE)
        context.schedule(timedelta(minutes=1), PunctuationType.WALL_CLOCK_TIME, self._remind)

    def process(self, record: Record[str, int]) -> None:
        known = self._unpaid.get(record.key()) or Unpaid(0, self.context().currentSystemTimeMs())
        cents = known.cents + record.value()
        self._unpaid.put(record.key(), Unpaid(cents, known.since) if cents else None)

    def _remind(self, now: int) -> None:
        with self._unpaid.all() as entries:
            due = [
                each for each in entries if each.value.cents > 0 and each.value.since + DAY <= now
            ]
        for number, unpaid in ((each.key, each.value) for each in due):
            self._unpaid.put(number, Unpaid(unpaid.cents, now))
            text = f"{unpaid.cents / 100:.2f} to be paid"
            self.context().forward(Record(number, text, now))


def remind(builder: StreamsBuilder, orders: KStream[str, Order]) -> None:
    """Write a reminder for each order that is not paid within a day, and again each day."""
    unpaid = Stores.persistentKeyValueStore(STORE)
    builder.addStateStore(Stores.keyValueStoreBuilder(unpaid, TEXT, JsonSerde.of(Unpaid)))
    payments: KStream[str, int] = builder.stream("payments", Consumed.with_(TEXT, NUMBER))
    ordered: KStream[str, int] = orders.mapValues(lambda order: order.cents)
    paid: KStream[str, int] = payments.mapValues(lambda cents: -cents)
    reminders: KStream[str, str] = ordered.merge(paid).process(Reminders, STORE)
    reminders.to("reminders", Produced.with_(TEXT, TEXT))


def orders_of(streams: KafkaStreams, customer: str) -> int:
    """Ask a running application how many orders a customer has made."""
    query: KeyQuery[str, int] = KeyQuery.withKey(customer)
    answer = streams.query(StateQueryRequest.inStore("order-counts").withQuery(query))
    found = answer.getOnlyPartitionResult()
    return 0 if found is None else found.getResult()


def add_all(builder: StreamsBuilder) -> KStream[str, Order]:
    """Add the whole application, and return the good orders."""
    orders = good_orders(builder)
    write_receipts(orders)
    count_orders(orders)
    spent = spent_by_hour(orders)
    write_spent(spent)
    alert(spent)
    customers = read_customers(builder)
    confirm(orders, customers)
    deliver(orders, customers)
    remind(builder, orders)
    return orders


def build() -> Topology:
    builder = StreamsBuilder()
    add_all(builder)
    return builder.build()
