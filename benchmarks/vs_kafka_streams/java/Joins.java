import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.Joined;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.StreamJoined;
import org.apache.kafka.streams.kstream.TableJoined;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** Workloads that join two topics. */
final class Joins {
    private static final Duration JOIN_DIFFERENCE = Duration.ofSeconds(5);
    private static final Duration GRACE = Duration.ofSeconds(1);
    private static final Duration HISTORY = Duration.ofMinutes(1);

    private Joins() {
    }

    static void tables(Inputs inputs, String output) {
        table(inputs, 0, "left")
            .join(table(inputs, 1, "right"), Joins::both)
            .toStream()
            .to(output, Records.TEXTS);
    }

    static void foreignKey(Inputs inputs, String output) {
        table(inputs, 0, "left")
            .join(
                table(inputs, 1, "right"),
                row -> row.substring(0, row.indexOf('|')),
                Joins::both,
                TableJoined.as("foreign"))
            .toStream()
            .to(output, Records.TEXTS);
    }

    static void streams(Inputs inputs, String output) {
        inputs.texts(0)
            .join(
                inputs.texts(1),
                Joins::both,
                windows(),
                StreamJoined.with(Serdes.String(), Serdes.String(), Serdes.String()))
            .to(output, Records.TEXTS);
    }

    static void leftStreams(Inputs inputs, String output) {
        inputs.texts(0)
            .leftJoin(
                inputs.texts(1),
                Joins::either,
                windows(),
                StreamJoined.with(Serdes.String(), Serdes.String(), Serdes.String()))
            .to(output, Records.TEXTS);
    }

    static void outerStreams(Inputs inputs, String output) {
        inputs.texts(0)
            .outerJoin(
                inputs.texts(1),
                Joins::either,
                windows(),
                StreamJoined.with(Serdes.String(), Serdes.String(), Serdes.String()))
            .to(output, Records.TEXTS);
    }

    static void global(Inputs inputs, String output) {
        inputs.texts(0)
            .join(inputs.everywhere(1), (key, value) -> key, Joins::both)
            .to(output, Records.TEXTS);
    }

    static void versioned(Inputs inputs, String output) {
        KTable<String, String> rows = inputs.texts(1).toTable(
            Materialized.<String, String>as(Stores.persistentVersionedKeyValueStore("right", HISTORY))
                .withKeySerde(Serdes.String()).withValueSerde(Serdes.String()));
        // Without it, what a record finds would depend on how the two topics were read.
        Joined<String, String, String> waiting =
            Joined.with(Serdes.String(), Serdes.String(), Serdes.String())
                .withGracePeriod(JOIN_DIFFERENCE);
        inputs.texts(0).join(rows, Joins::both, waiting).to(output, Records.TEXTS);
    }

    private static KTable<String, String> table(Inputs inputs, int input, String store) {
        return inputs.texts(input).toTable(
            Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as(store)
                .withKeySerde(Serdes.String()).withValueSerde(Serdes.String()));
    }

    private static JoinWindows windows() {
        return JoinWindows.ofTimeDifferenceAndGrace(JOIN_DIFFERENCE, GRACE);
    }

    private static String either(String left, String right) {
        return (left == null ? "-" : left) + (right == null ? "-" : right);
    }

    private static String both(String left, String right) {
        return left + right;
    }
}
