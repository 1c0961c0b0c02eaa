import java.util.concurrent.atomic.AtomicLongArray;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.GlobalKTable;
import org.apache.kafka.streams.kstream.KStream;

/** The input topics; what is taken in of each is noted. */
final class Inputs {
    private final StreamsBuilder builder;
    private final String[] topics;
    private final AtomicLongArray takenIn;
    private final long[] committedAt;

    Inputs(StreamsBuilder builder, String[] topics, AtomicLongArray takenIn, long[] committedAt) {
        this.builder = builder;
        this.topics = topics;
        this.takenIn = takenIn;
        this.committedAt = committedAt;
    }

    StreamsBuilder builder() {
        return builder;
    }

    /** Returns a topic of texts; they are numbered as the program gets them. */
    KStream<String, String> texts(int input) {
        return stream(input, Serdes.String());
    }

    <V> KStream<String, V> stream(int input, Serde<V> values) {
        int first = input * (takenIn.length() / topics.length);
        return builder
            .stream(topics[input], Consumed.with(Serdes.String(), values))
            .processValues(() -> new Gauge<V>(takenIn, first, committedAt));
    }

    /** Returns a topic as a table that is there before all else; it is not counted. */
    GlobalKTable<String, String> everywhere(int input) {
        return builder.globalTable(topics[input], Consumed.with(Serdes.String(), Serdes.String()));
    }
}
