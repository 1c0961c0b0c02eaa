package millstream;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.apache.spark.sql.connector.read.streaming.ReadLimit;
import org.apache.spark.sql.connector.read.streaming.ReadMaxRows;
import org.apache.spark.sql.connector.read.streaming.ReportsSourceMetrics;
import org.apache.spark.sql.connector.read.streaming.SupportsTriggerAvailableNow;
import org.apache.spark.sql.kafka010.KafkaMicroBatchStream;
import org.apache.spark.sql.kafka010.KafkaSourceOffset;
import org.apache.spark.util.CollectionAccumulator;

import scala.Tuple2;

/**
 * Spark's own stream of a Kafka source, with our readers; its limit of records is found anew for
 * each batch.
 */
public class ChunkStream
    implements SupportsTriggerAvailableNow, ReportsSourceMetrics, MicroBatchStream {
    private static final long TOLD_NANOS = 60L * 1000 * 1000 * 1000;
    private static final int MOST_TOLD = 1000;

    private final KafkaMicroBatchStream kafka;
    private final ChunkReaders readers;
    private final CollectionAccumulator measured;
    /** How batches are shared; null if no query reads this. */
    private final BatchShares shares;
    /** What was deleted before it was read, and when that was noticed: each a text and a Long. */
    private final ArrayDeque gone = new ArrayDeque();

    public ChunkStream(
        KafkaMicroBatchStream kafka, ChunkReaders readers, CollectionAccumulator measured,
        BatchShares shares
    ) {
        this.kafka = kafka;
        this.readers = readers;
        this.measured = measured;
        this.shares = shares;
    }

    /** Return Spark's own stream, for what asks after its clients. */
    public KafkaMicroBatchStream kafka() {
        return kafka;
    }

    public InputPartition[] planInputPartitions(Offset start, Offset end) {
        return kafka.planInputPartitions(start, end);
    }

    public PartitionReaderFactory createReaderFactory() {
        return readers;
    }

    /**
     * Add how many records the batch's tasks have read, and how long the slowest took for it. What
     * was deleted before it was read stays for a while: the driver does not look at each report.
     */
    public Map metrics(Optional latestConsumed) {
        Map found = new HashMap(kafka.metrics(latestConsumed));
        List all = measured.value();
        measured.reset();
        long records = 0;
        long longest = 0;
        for (Iterator numbers = all.iterator(); numbers.hasNext();) {
            Object each = numbers.next();
            if (each instanceof String) {
                gone.add(new Object[] {each, Long.valueOf(System.nanoTime())});
            } else {
                records += ((Long) each).longValue();
                longest = Math.max(longest, ((Long) numbers.next()).longValue());
            }
        }
        if (!gone.isEmpty()) {
            found.put("millstreamGone", goneNow());
        }
        found.put("millstreamRecords", Long.toString(records));
        found.put("millstreamReadMs", Double.toString(longest / 1e6));
        return found;
    }

    private String goneNow() {
        long since = System.nanoTime() - TOLD_NANOS;
        StringBuilder text = new StringBuilder();
        while (gone.size() > MOST_TOLD
            || (gone.size() > 0 && ((Long) ((Object[]) gone.peek())[1]).longValue() < since)) {
            gone.poll();
        }
        for (Iterator each = gone.iterator(); each.hasNext();) {
            text.append(text.length() == 0 ? "" : ",").append(((Object[]) each.next())[0]);
        }
        return text.toString();
    }

    public void prepareForTriggerAvailableNow() {
        kafka.prepareForTriggerAvailableNow();
    }

    public ReadLimit getDefaultReadLimit() {
        return kafka.getDefaultReadLimit();
    }

    public Offset latestOffset(Offset start, ReadLimit limit) {
        if (shares == null || !(limit instanceof ReadMaxRows)) {
            return kafka.latestOffset(start, limit);
        }
        Offset all = kafka.latestOffset(start, made("allAvailable", new Class[0], new Object[0]));
        long unread = between((KafkaSourceOffset) start, (KafkaSourceOffset) all);
        long most = shares.limit(readers.stage, unread);
        if (unread <= most) {
            return all;
        }
        Object[] rows = {Long.valueOf(most)};
        return kafka.latestOffset(start, made("maxRows", new Class[] {long.class}, rows));
    }

    // Spark's compiler cannot call the static methods of an interface.
    private static ReadLimit made(String name, Class[] kinds, Object[] values) {
        try {
            return (ReadLimit) ReadLimit.class.getMethod(name, kinds).invoke(null, values);
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
    }

    private static long between(KafkaSourceOffset start, KafkaSourceOffset end) {
        long records = 0;
        scala.collection.Iterator ends = end.partitionToOffsets().iterator();
        while (ends.hasNext()) {
            Tuple2 each = (Tuple2) ends.next();
            // A new partition: too many rather than too few, which would lift the limit.
            scala.Option from = start.partitionToOffsets().get(
                (org.apache.kafka.common.TopicPartition) each._1()
            );
            long first = from.isDefined() ? ((Long) from.get()).longValue() : 0;
            records += Math.max(0, ((Long) each._2()).longValue() - first);
        }
        return records;
    }

    public Offset latestOffset() {
        return kafka.latestOffset();
    }

    public Offset reportLatestOffset() {
        return kafka.reportLatestOffset();
    }

    public Offset initialOffset() {
        return kafka.initialOffset();
    }

    public Offset deserializeOffset(String json) {
        return kafka.deserializeOffset(json);
    }

    public void commit(Offset end) {
        kafka.commit(end);
    }

    public void stop() {
        kafka.stop();
    }

    public String toString() {
        return "MillstreamChunks[" + kafka + "]";
    }
}
