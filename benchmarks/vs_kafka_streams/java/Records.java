import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.state.KeyValueStore;

/** Workloads whose records are treated one by one. */
final class Records {
    static final Produced<String, String> TEXTS = Produced.with(Serdes.String(), Serdes.String());
    static final Produced<String, Long> NUMBERS = Produced.with(Serdes.String(), Serdes.Long());
    private static final Duration DEDUPLICATION = Duration.ofSeconds(10);
    private static final int COPIES = 8;

    private Records() {
    }

    static void deduplicated(Inputs inputs, String output) {
        inputs.texts(0).processValues(Deduplicate.supplier(DEDUPLICATION)).to(output, TEXTS);
    }

    static void countedLately(Inputs inputs, String output) {
        inputs.builder().addStateStore(CountLately.store());
        inputs.texts(0).process(CountLately::new, CountLately.STORE).to(output, NUMBERS);
    }

    static void stamped(Inputs inputs, String output) {
        inputs.texts(0).processValues(Stamp::new).to(output, TEXTS);
    }

    static void copied(Inputs inputs, String output) {
        inputs.texts(0).flatMap((key, value) -> copies(key, value)).to(output, TEXTS);
    }

    static void latest(Inputs inputs, String output) {
        inputs.texts(0)
            .toTable(Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as("latest")
                .withKeySerde(Serdes.String()).withValueSerde(Serdes.String()))
            .toStream()
            .to(output, TEXTS);
    }

    private static List<KeyValue<String, String>> copies(String key, String value) {
        List<KeyValue<String, String>> made = new ArrayList<>(COPIES);
        for (int copy = 0; copy < COPIES; copy++) {
            made.add(KeyValue.pair(key + "/" + copy, value));
        }
        return made;
    }

    /** Reads one header and adds another. */
    private static final class Stamp extends ContextualFixedKeyProcessor<String, String, String> {
        @Override
        public void process(FixedKeyRecord<String, String> record) {
            byte[] third = record.headers().lastHeader("header-3").value();
            record.headers().add("seen", third);
            context().forward(record);
        }
    }
}
