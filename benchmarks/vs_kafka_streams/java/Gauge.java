import java.util.concurrent.atomic.AtomicLongArray;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.processor.api.RecordMetadata;

/** Notes the next offset of each input partition; one plain ordered write a record. */
final class Gauge<V> extends ContextualFixedKeyProcessor<String, V, V> {
    private final AtomicLongArray takenIn;
    private final int first;
    private final long[] committedAt;

    /**
     * @param first where the topic's partitions begin among those of all topics
     * @param committedAt the next offsets at which a partition is committed; none if it is empty
     */
    Gauge(AtomicLongArray takenIn, int first, long[] committedAt) {
        this.takenIn = takenIn;
        this.first = first;
        this.committedAt = committedAt;
    }

    @Override
    public void process(FixedKeyRecord<String, V> record) {
        RecordMetadata at = context().recordMetadata().orElseThrow();
        int partition = first + at.partition();
        long next = at.offset() + 1;
        takenIn.lazySet(partition, next);
        context().forward(record);
        if (committedAt.length > 0 && next == committedAt[partition]) {
            context().commit();
        }
    }
}
