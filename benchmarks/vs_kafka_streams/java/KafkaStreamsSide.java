import java.io.FileInputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;

/**
 * The Kafka Streams side of the benchmark.
 *
 * <p>Arguments: workload, input topics, output topic, end offset of the warm-up in each partition of
 * each topic, end offset of each partition (all of them comma-separated), and a file with the
 * configuration.
 *
 * <p>Prints lines of an event, the microseconds of the epoch, and the records taken in:
 * {@code warm} once the warm-up is taken in, {@code done} once the last record has reached the last
 * sub-topology, {@code closed} after a clean close. A line {@code idle} has, in place of the records,
 * the milliseconds that it took to find out that nothing was left to do.
 */
public final class KafkaStreamsSide {
    private static final Duration POLL = Duration.ofMillis(2);

    public static void main(String[] args) throws Exception {
        String workload = args[0];
        String[] inputs = args[1].split(",");
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

        boolean comesBack = workload.startsWith("fk-join");
        boolean split = workload.equals("repartition-count");
        AtomicLongArray takenIn = new AtomicLongArray(end.length);
        LongAdder arrived = new LongAdder();
        StreamsBuilder builder = new StreamsBuilder();
        Inputs sources = new Inputs(builder, inputs, takenIn, comesBack ? end : new long[0]);
        Workloads.build(workload, sources, output, arrived);

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
        while (!reached(takenIn, end) || (split && arrived.sum() < Arrays.stream(end).sum())) {
            Thread.sleep(POLL.toMillis());
        }
        if (comesBack) {
            report("idle", new Drained(streams, config, inputs, end).await());
        }
        report("done", sum(takenIn));
        streams.close(Duration.ofMinutes(2));
        report("closed", sum(takenIn));
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

    private static void report(String event, long number) {
        Instant now = Instant.now();
        long micros = now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
        System.out.println(event + " " + micros + " " + number);
        System.out.flush();
    }
}
