import java.io.FileInputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.WindowStore;

/**
 * The Kafka Streams side of the benchmark.
 *
 * <p>Arguments: workload, input topic, output topic, end offset of the warm-up in each partition,
 * end offset of each partition (both comma-separated), and a file with the configuration.
 *
 * <p>Prints lines of an event, the microseconds of the epoch, and the records taken in:
 * {@code warm} once the warm-up is taken in, {@code done} once the last record has reached the last
 * sub-topology, {@code closed} after a clean close.
 */
public final class KafkaStreamsSide {
    private static final Duration POLL = Duration.ofMillis(2);
    private static final Duration WINDOW_SIZE = Duration.ofSeconds(10);
    private static final Duration GRACE = Duration.ofSeconds(1);
    private static final int SHORT_KEY_LENGTH = 3;

    public static void main(String[] args) throws Exception {
        String workload = args[0];
        String input = args[1];
        String output = args[2];
        long[] warm = offsets(args[3]);
        long[] end = offsets(args[4]);
        Properties config = new Properties();
        try (FileInputStream file = new FileInputStream(args[5])) {
            config.load(file);
        }

        // However the benchmark ends, this program is not left behind.
        ProcessHandle.current().parent().ifPresent(
            benchmark -> benchmark.onExit().thenRun(() -> Runtime.getRuntime().halt(1)));

        AtomicLongArray takenIn = new AtomicLongArray(end.length);
        LongAdder arrived = new LongAdder();
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> source = builder
            .stream(input, Consumed.with(Serdes.String(), Serdes.String()))
            .processValues(() -> new Gauge(takenIn));
        build(workload, source, output, arrived);

        KafkaStreams streams = new KafkaStreams(builder.build(), config);
        streams.setUncaughtExceptionHandler(error -> {
            error.printStackTrace();
            Runtime.getRuntime().halt(1);
            return null;
        });
        streams.start();
        while (!reached(takenIn, warm)) {
            Thread.sleep(POLL.toMillis());
        }
        report("warm", sum(takenIn));
        boolean split = workload.equals("repartition-count");
        while (!reached(takenIn, end) || (split && arrived.sum() < Arrays.stream(end).sum())) {
            Thread.sleep(POLL.toMillis());
        }
        report("done", sum(takenIn));
        streams.close(Duration.ofMinutes(2));
        report("closed", sum(takenIn));
    }

    private static void build(
        String workload, KStream<String, String> source, String output, LongAdder arrived) {
        switch (workload) {
            case "pass" -> source.to(output, Produced.with(Serdes.String(), Serdes.String()));
            case "count" -> source
                .groupByKey(Grouped.with(Serdes.String(), Serdes.String()))
                .count(counts())
                .toStream()
                .to(output, Produced.with(Serdes.String(), Serdes.Long()));
            case "window-count" -> source
                .groupByKey(Grouped.with(Serdes.String(), Serdes.String()))
                .windowedBy(TimeWindows.ofSizeAndGrace(WINDOW_SIZE, GRACE))
                .count(Materialized.<String, Long, WindowStore<Bytes, byte[]>>as("counts")
                    .withKeySerde(Serdes.String()).withValueSerde(Serdes.Long()))
                .toStream()
                .map((window, count) ->
                    KeyValue.pair(window.key() + "@" + window.window().start(), count))
                .to(output, Produced.with(Serdes.String(), Serdes.Long()));
            case "repartition-count" -> source
                .selectKey((key, value) -> shortened(key))
                // What groupByKey would insert by itself; so the program sees what comes out of it.
                .repartition(Repartitioned.with(Serdes.String(), Serdes.String()).withName("short"))
                .peek((key, value) -> arrived.increment())
                .groupByKey(Grouped.with(Serdes.String(), Serdes.String()))
                .count(counts())
                .toStream()
                .to(output, Produced.with(Serdes.String(), Serdes.Long()));
            default -> throw new IllegalArgumentException("unknown workload " + workload);
        }
    }

    private static String shortened(String key) {
        return key.substring(0, Math.min(SHORT_KEY_LENGTH, key.length()));
    }

    private static Materialized<String, Long, KeyValueStore<Bytes, byte[]>> counts() {
        return Materialized.<String, Long, KeyValueStore<Bytes, byte[]>>as("counts")
            .withKeySerde(Serdes.String()).withValueSerde(Serdes.Long());
    }

    private static long[] offsets(String list) {
        return Arrays.stream(list.split(",")).mapToLong(Long::parseLong).toArray();
    }

    private static boolean reached(AtomicLongArray takenIn, long[] goal) {
        for (int partition = 0; partition < goal.length; partition++) {
            if (takenIn.get(partition) < goal[partition]) {
                return false;
            }
        }
        return true;
    }

    private static long sum(AtomicLongArray takenIn) {
        long total = 0;
        for (int partition = 0; partition < takenIn.length(); partition++) {
            total += takenIn.get(partition);
        }
        return total;
    }

    private static void report(String event, long records) {
        Instant now = Instant.now();
        long micros = now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
        System.out.println(event + " " + micros + " " + records);
        System.out.flush();
    }

    /** Notes the next offset of each input partition; one plain ordered write a record. */
    private static final class Gauge extends ContextualFixedKeyProcessor<String, String, String> {
        private final AtomicLongArray takenIn;

        Gauge(AtomicLongArray takenIn) {
            this.takenIn = takenIn;
        }

        @Override
        public void process(FixedKeyRecord<String, String> record) {
            context().recordMetadata()
                .ifPresent(at -> takenIn.lazySet(at.partition(), at.offset() + 1));
            context().forward(record);
        }
    }
}
