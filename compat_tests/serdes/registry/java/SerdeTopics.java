import java.time.Duration;
import java.time.Instant;
import java.util.*;
import org.apache.kafka.common.serialization.*;
import org.apache.kafka.streams.*;
import org.apache.kafka.streams.kstream.*;

/** Prints, for each serde of a topology, which topics Kafka Streams tells it. */
public class SerdeTopics {
  static final SortedSet<String> SEEN = new TreeSet<>();

  static class Told implements Serde<String> {
    final String name;
    boolean key;
    Told(String name) { this.name = name; }
    public Serializer<String> serializer() {
      return (topic, data) -> {
        SEEN.add(name + " serialize " + topic);
        return data == null ? null : data.getBytes();
      };
    }
    public Deserializer<String> deserializer() {
      return (topic, data) -> {
        SEEN.add(name + " deserialize " + topic);
        return data == null ? null : new String(data);
      };
    }
  }

  static Told told(String name) { return new Told(name); }

  public static void main(String[] args) {
    StreamsBuilder b = new StreamsBuilder();
    KStream<String, String> in = b.stream("in", Consumed.with(told("in-key"), told("in-value")));
    KStream<String, String> moved = in.map((k, v) -> KeyValue.pair(v, k));
    moved.groupByKey(Grouped.with("by", told("group-key"), told("group-value")))
        .aggregate(() -> "", (k, v, a) -> a + v,
            Materialized.<String, String, org.apache.kafka.streams.state.KeyValueStore<org.apache.kafka.common.utils.Bytes, byte[]>>as("totals")
                .withKeySerde(told("totals-key")).withValueSerde(told("totals-value")))
        .toStream().to("out", Produced.with(told("out-key"), told("out-value")));
    in.groupByKey(Grouped.with(told("w-group-key"), told("w-group-value")))
        .windowedBy(TimeWindows.ofSizeWithNoGrace(Duration.ofSeconds(10)))
        .aggregate(() -> "", (k, v, a) -> a + v,
            Materialized.<String, String, org.apache.kafka.streams.state.WindowStore<org.apache.kafka.common.utils.Bytes, byte[]>>as("windowed")
                .withKeySerde(told("windowed-key")).withValueSerde(told("windowed-value")))
        .suppress(Suppressed.untilWindowCloses(Suppressed.BufferConfig.unbounded()).withName("later"))
        .toStream().to("windows", Produced.with(
            new WindowedSerdes.TimeWindowedSerde<>(told("windows-key"), 10_000L), told("windows-value")));
    in.groupByKey(Grouped.with(told("s-group-key"), told("s-group-value")))
        .windowedBy(SessionWindows.ofInactivityGapWithNoGrace(Duration.ofSeconds(5)))
        .aggregate(() -> "", (k, v, a) -> a + v, (k, l, r) -> l + r,
            Materialized.<String, String, org.apache.kafka.streams.state.SessionStore<org.apache.kafka.common.utils.Bytes, byte[]>>as("sessions")
                .withKeySerde(told("sessions-key")).withValueSerde(told("sessions-value")));
    KStream<String, String> other = b.stream("other", Consumed.with(told("other-key"), told("other-value")));
    moved.join(other, (l, r) -> l + r, JoinWindows.ofTimeDifferenceWithNoGrace(Duration.ofSeconds(5)),
        StreamJoined.with(told("join-key"), told("join-left"), told("join-right")).withName("joined").withStoreName("joined-store"))
        .to("joins", Produced.with(told("joins-key"), told("joins-value")));
    KTable<String, String> left = b.table("left", Consumed.with(told("left-key"), told("left-value")),
        Materialized.as("left-store"));
    KTable<String, String> right = b.table("right", Consumed.with(told("right-key"), told("right-value")),
        Materialized.as("right-store"));
    left.join(right, v -> v, (l, r) -> l + r, TableJoined.as("fk"),
        Materialized.<String, String, org.apache.kafka.streams.state.KeyValueStore<org.apache.kafka.common.utils.Bytes, byte[]>>as("fk-store")
            .withKeySerde(told("fk-key")).withValueSerde(told("fk-value")))
        .toStream().to("fks", Produced.with(told("fks-key"), told("fks-value")));
    GlobalKTable<String, String> global = b.globalTable("global", Consumed.with(told("global-key"), told("global-value")),
        Materialized.as("global-store"));
    in.join(global, (k, v) -> v, (l, r) -> l + r).to("globals", Produced.with(told("globals-key"), told("globals-value")));
    in.repartition(Repartitioned.with(told("rep-key"), told("rep-value")).withName("again"))
        .to("again", Produced.with(told("again-key"), told("again-value")));
    left.groupBy(KeyValue::pair, Grouped.with("tg", told("tg-key"), told("tg-value")))
        .reduce((a, v) -> v, (a, v) -> a, Materialized.<String, String, org.apache.kafka.streams.state.KeyValueStore<org.apache.kafka.common.utils.Bytes, byte[]>>as("tg-store")
            .withKeySerde(told("tgs-key")).withValueSerde(told("tgs-value")));

    Properties p = new Properties();
    p.put("application.id", "app");
    p.put("bootstrap.servers", "nowhere:1");
    p.put("statestore.cache.max.bytes", "0");
    try (TopologyTestDriver d = new TopologyTestDriver(b.build(), p)) {
      for (String t : List.of("global", "right", "left", "other", "in")) {
        TestInputTopic<String, String> topic = d.createInputTopic(t, new StringSerializer(), new StringSerializer());
        topic.pipeInput("k", "v", 0L);
        topic.pipeInput("v", "k", 1000L);
        topic.pipeInput("k", "k", 60_000L);
        topic.pipeInput("v", "v", 120_000L);
      }
    }
    SEEN.forEach(System.out::println);
  }
}
