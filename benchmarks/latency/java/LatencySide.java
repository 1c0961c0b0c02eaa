import java.io.FileReader;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.TableJoined;
import org.apache.kafka.streams.state.KeyValueStore;

/** The topologies of {@code shapes.py}: arguments are the shape and a file with the configuration. */
public final class LatencySide {
    private static final String SOURCE = "latency-in";
    private static final Consumed<String, String> READ =
        Consumed.with(Serdes.String(), Serdes.String());

    private LatencySide() {
    }

    /** Runs until standard input ends. */
    public static void main(String[] arguments) throws Exception {
        Properties config = new Properties();
        try (FileReader file = new FileReader(arguments[1])) {
            config.load(file);
        }
        StreamsBuilder builder = new StreamsBuilder();
        build(arguments[0], builder);
        try (KafkaStreams streams = new KafkaStreams(builder.build(config), config)) {
            streams.setUncaughtExceptionHandler(error -> {
                error.printStackTrace();
                Runtime.getRuntime().halt(1);
                return null;
            });
            streams.start();
            while (System.in.read() >= 0) {
                continue;
            }
        }
    }

    private static void build(String shape, StreamsBuilder builder) {
        switch (shape) {
            case "one-stage" -> counted(builder.stream(SOURCE, READ));
            case "two-stages" -> counted(
                builder.stream(SOURCE, READ).selectKey((key, value) -> "a" + key));
            case "fk-join" -> joined(builder);
            default -> throw new IllegalArgumentException(shape);
        }
    }

    private static void counted(KStream<String, String> stream) {
        stream
            .groupByKey(Grouped.with("other", Serdes.String(), Serdes.String()))
            .count(Materialized.<String, Long, KeyValueStore<Bytes, byte[]>>as("counts")
                .withKeySerde(Serdes.String()).withValueSerde(Serdes.Long()))
            .toStream()
            .to("latency-out", Produced.with(Serdes.String(), Serdes.Long()));
    }

    private static void joined(StreamsBuilder builder) {
        KTable<String, String> rows = builder.table(SOURCE, READ);
        KTable<String, String> others = builder.table("latency-right", READ);
        rows
            .join(
                others,
                row -> row.substring(0, row.indexOf('|')),
                (left, right) -> left + right,
                TableJoined.as("foreign"))
            .toStream()
            .to("latency-out", Produced.with(Serdes.String(), Serdes.String()));
    }
}
