import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.StreamJoined;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.TableJoined;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.WindowStore;

/** What each workload does with its sources. */
final class Workloads {
    private static final Duration WINDOW_SIZE = Duration.ofSeconds(10);
    private static final Duration SESSION_GAP = Duration.ofSeconds(5);
    private static final Duration JOIN_DIFFERENCE = Duration.ofSeconds(5);
    private static final Duration GRACE = Duration.ofSeconds(1);
    private static final Duration DEDUPLICATION = Duration.ofSeconds(10);
    private static final int SHORT_KEY_LENGTH = 3;
    private static final Produced<String, String> TEXTS =
        Produced.with(Serdes.String(), Serdes.String());
    private static final Produced<String, Long> NUMBERS =
        Produced.with(Serdes.String(), Serdes.Long());

    private Workloads() {
    }

    static void build(
        String workload, List<KStream<String, String>> sources, String output, LongAdder arrived) {
        KStream<String, String> source = sources.get(0);
        switch (workload) {
            case "pass" -> source.to(output, TEXTS);
            case "count" -> grouped(source).count(counts()).toStream().to(output, NUMBERS);
            case "window-count" -> written(windowed(source), output);
            case "repartition-count" -> {
                KStream<String, String> apart = source
                    .selectKey((key, value) -> shortened(key))
                    // What groupByKey would insert by itself; so the program sees what comes out.
                    .repartition(
                        Repartitioned.with(Serdes.String(), Serdes.String()).withName("short"))
                    .peek((key, value) -> arrived.increment());
                grouped(apart).count(counts()).toStream().to(output, NUMBERS);
            }
            case "session-count" -> grouped(source)
                .windowedBy(SessionWindows.ofInactivityGapAndGrace(SESSION_GAP, GRACE))
                .count(Materialized.<String, Long, SessionStore<Bytes, byte[]>>as("counts")
                    .withKeySerde(Serdes.String()).withValueSerde(Serdes.Long()))
                .toStream()
                .map((at, count) -> KeyValue.pair(
                    at.key() + "@" + at.window().start() + "-" + at.window().end(), count))
                .to(output, NUMBERS);
            case "suppress-final" -> written(
                windowed(source).suppress(
                    Suppressed.untilWindowCloses(Suppressed.BufferConfig.unbounded())),
                output);
            case "table-join" -> table(source, "left")
                .join(table(sources.get(1), "right"), Workloads::both)
                .toStream()
                .to(output, TEXTS);
            case "stream-join" -> source
                .join(
                    sources.get(1),
                    Workloads::both,
                    JoinWindows.ofTimeDifferenceAndGrace(JOIN_DIFFERENCE, GRACE),
                    StreamJoined.with(Serdes.String(), Serdes.String(), Serdes.String()))
                .to(output, TEXTS);
            case "fk-join", "fk-join-few-keys" -> table(source, "left")
                .join(
                    table(sources.get(1), "right"),
                    row -> row.substring(0, row.indexOf('|')),
                    Workloads::both,
                    TableJoined.as("foreign"))
                .toStream()
                .to(output, TEXTS);
            case "dedup" -> source
                .processValues(Deduplicate.supplier(DEDUPLICATION))
                .to(output, TEXTS);
            default -> throw new IllegalArgumentException("unknown workload " + workload);
        }
    }

    private static KTable<Windowed<String>, Long> windowed(KStream<String, String> source) {
        return grouped(source)
            .windowedBy(TimeWindows.ofSizeAndGrace(WINDOW_SIZE, GRACE))
            .count(Materialized.<String, Long, WindowStore<Bytes, byte[]>>as("counts")
                .withKeySerde(Serdes.String()).withValueSerde(Serdes.Long()));
    }

    private static void written(KTable<Windowed<String>, Long> counts, String output) {
        counts
            .toStream()
            .map((at, count) -> KeyValue.pair(at.key() + "@" + at.window().start(), count))
            .to(output, NUMBERS);
    }

    private static KGroupedStream<String, String> grouped(KStream<String, String> source) {
        return source.groupByKey(Grouped.with(Serdes.String(), Serdes.String()));
    }

    private static KTable<String, String> table(KStream<String, String> source, String store) {
        return source.toTable(Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as(store)
            .withKeySerde(Serdes.String()).withValueSerde(Serdes.String()));
    }

    private static Materialized<String, Long, KeyValueStore<Bytes, byte[]>> counts() {
        return Materialized.<String, Long, KeyValueStore<Bytes, byte[]>>as("counts")
            .withKeySerde(Serdes.String()).withValueSerde(Serdes.Long());
    }

    private static String both(String left, String right) {
        return left + right;
    }

    private static String shortened(String key) {
        return key.substring(0, Math.min(SHORT_KEY_LENGTH, key.length()));
    }
}
