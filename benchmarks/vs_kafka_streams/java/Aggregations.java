import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.kstream.EmitStrategy;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.SlidingWindows;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.TimeWindowedKStream;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.WindowStore;

/** Workloads that count and aggregate. */
final class Aggregations {
    private static final Duration WINDOW_SIZE = Duration.ofSeconds(10);
    private static final Duration SESSION_GAP = Duration.ofSeconds(5);
    private static final Duration GRACE = Duration.ofSeconds(1);
    private static final int SHORT_KEY_LENGTH = 3;
    private static final long RIGHT = 1_000_000;

    private Aggregations() {
    }

    static void count(Inputs inputs, String output) {
        grouped(inputs.texts(0)).count(counts()).toStream().to(output, Records.NUMBERS);
    }

    static void repartitionCount(Inputs inputs, String output, LongAdder arrived) {
        KStream<String, String> apart = inputs.texts(0)
            .selectKey((key, value) -> shortened(key))
            // What groupByKey would insert by itself; so the program sees what comes out.
            .repartition(Repartitioned.with(Serdes.String(), Serdes.String()).withName("short"))
            .peek((key, value) -> arrived.increment());
        grouped(apart).count(counts()).toStream().to(output, Records.NUMBERS);
    }

    static void windowCount(Inputs inputs, String output) {
        written(windowed(inputs).count(windows()), output);
    }

    static void suppressFinal(Inputs inputs, String output) {
        KTable<Windowed<String>, Long> counts = windowed(inputs).count(windows());
        written(
            counts.suppress(Suppressed.untilWindowCloses(Suppressed.BufferConfig.unbounded())),
            output);
    }

    static void emitFinal(Inputs inputs, String output) {
        written(
            windowed(inputs).emitStrategy(EmitStrategy.onWindowClose()).count(windows()), output);
    }

    static void slidingCount(Inputs inputs, String output) {
        SlidingWindows sliding = SlidingWindows.ofTimeDifferenceAndGrace(WINDOW_SIZE, GRACE);
        written(grouped(inputs.texts(0)).windowedBy(sliding).count(windows()), output);
    }

    static void sessionCount(Inputs inputs, String output) {
        grouped(inputs.texts(0))
            .windowedBy(SessionWindows.ofInactivityGapAndGrace(SESSION_GAP, GRACE))
            .count(Materialized.<String, Long, SessionStore<Bytes, byte[]>>as("counts")
                .withKeySerde(Serdes.String()).withValueSerde(Serdes.Long()))
            .toStream()
            .map((at, count) -> KeyValue.pair(
                at.key() + "@" + at.window().start() + "-" + at.window().end(), count))
            .to(output, Records.NUMBERS);
    }

    static void cogroup(Inputs inputs, String output) {
        grouped(inputs.texts(0))
            .<Long>cogroup((key, value, total) -> total + 1)
            .cogroup(grouped(inputs.texts(1)), (key, value, total) -> total + RIGHT)
            .aggregate(() -> 0L, counts())
            .toStream()
            .to(output, Records.NUMBERS);
    }

    private static TimeWindowedKStream<String, String> windowed(Inputs inputs) {
        return grouped(inputs.texts(0))
            .windowedBy(TimeWindows.ofSizeAndGrace(WINDOW_SIZE, GRACE));
    }

    private static void written(KTable<Windowed<String>, Long> counts, String output) {
        counts
            .toStream()
            .map((at, count) -> KeyValue.pair(at.key() + "@" + at.window().start(), count))
            .to(output, Records.NUMBERS);
    }

    private static KGroupedStream<String, String> grouped(KStream<String, String> source) {
        return source.groupByKey(Grouped.with(Serdes.String(), Serdes.String()));
    }

    private static Materialized<String, Long, KeyValueStore<Bytes, byte[]>> counts() {
        return Materialized.<String, Long, KeyValueStore<Bytes, byte[]>>as("counts")
            .withKeySerde(Serdes.String()).withValueSerde(Serdes.Long());
    }

    private static Materialized<String, Long, WindowStore<Bytes, byte[]>> windows() {
        return Materialized.<String, Long, WindowStore<Bytes, byte[]>>as("counts")
            .withKeySerde(Serdes.String()).withValueSerde(Serdes.Long());
    }

    private static String shortened(String key) {
        return key.substring(0, Math.min(SHORT_KEY_LENGTH, key.length()));
    }
}
