package millstream;

import java.nio.ByteBuffer;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.kafka010.KafkaBatchInputPartition;
import org.apache.spark.sql.kafka010.KafkaOffsetRange;
import org.apache.spark.sql.kafka010.consumer.KafkaDataConsumer;
import org.apache.spark.unsafe.types.UTF8String;

/** Reads a range of a partition as chunks, each a row; the consumer is that of Spark's reader. */
public class ChunkReader implements PartitionReader {
    private static final int RECORDS = 0;
    private static final int READ = 4;
    private static final int SINK = -1;

    private final KafkaBatchInputPartition source;
    private final KafkaOffsetRange range;
    private final ChunkReaders ours;
    private final KafkaDataConsumer consumer;
    private final ConsumerRecord[] records;
    private long next;
    /** Offset after the last record of a chunk. */
    private long passed;
    private long read = 0;
    private long nanos = 0;
    private boolean open = true;
    private GenericInternalRow row = null;

    public ChunkReader(KafkaBatchInputPartition source, ChunkReaders ours) {
        this.source = source;
        this.ours = ours;
        range = source.offsetRange();
        if (range.fromOffset() < 0 || range.untilOffset() < 0) {
            throw new IllegalStateException("a range must begin and end with numbers, not " + range);
        }
        next = range.fromOffset();
        passed = next;
        records = new ConsumerRecord[(int) Math.min(ours.most, Math.max(0, range.size()))];
        consumer = KafkaDataConsumer.acquire(range.topicPartition(), source.executorKafkaParams());
    }

    public boolean next() {
        long began = System.nanoTime();
        int count = fetched();
        if (count > 0) {
            checkTask();
            byte[] schema = ours.plain;
            ChunkHeaders headers = ChunkHeaders.of(records, count);
            if (headers != null) {
                schema = ours.withHeaders;
            }
            byte[] blob = new ChunkBlob(records, count, headers).bytes(schema);
            row = new GenericInternalRow(new Object[] {
                Integer.valueOf(ours.keys[range.partition()]), Integer.valueOf(ours.stage),
                Integer.valueOf(RECORDS), UTF8String.fromString(range.topic()),
                Integer.valueOf(range.partition()), Long.valueOf(records[0].offset()), blob});
            read += count;
            passed = records[count - 1].offset() + 1;
        }
        nanos += System.nanoTime() - began;
        return count > 0 || isEnd();
    }

    /**
     * Make the last row if no record is at the end of the range: what is there, such as the marker
     * of a transaction, has been read too, and the group's offset goes beyond it as in Kafka.
     */
    private boolean isEnd() {
        if (!ours.tellsEnds || passed >= range.untilOffset()
            || range.partition() >= ours.keys.length) {
            return false;
        }
        passed = range.untilOffset();
        byte[] first = ByteBuffer.allocate(8).putLong(range.fromOffset()).array();
        row = new GenericInternalRow(new Object[] {
            Integer.valueOf(ours.keys[range.partition()]), Integer.valueOf(SINK),
            Integer.valueOf(READ), UTF8String.fromString(range.topic()),
            Integer.valueOf(range.partition()), Long.valueOf(passed), first});
        return true;
    }

    /** Fill the array; return how many records there are. */
    private int fetched() {
        int count = 0;
        long size = 0;
        while (count < records.length && size < ours.pieceBytes && next < range.untilOffset()) {
            long outOfRange = consumer.getNumOffsetOutOfRange();
            ConsumerRecord record = consumer.get(
                next, range.untilOffset(), source.pollTimeoutMs(), source.failOnDataLoss());
            long at = record == null ? range.untilOffset() : record.offset();
            if (consumer.getNumOffsetOutOfRange() > outOfRange) {
                // Spark goes on with the oldest record that the broker has left.
                ours.measured.add(range.topic() + " " + range.partition() + " " + next + " " + at);
            }
            if (record == null) {
                next = at;
                break;
            }
            records[count++] = record;
            next = at + 1;
            size += Math.max(0, record.serializedKeySize())
                + Math.max(0, record.serializedValueSize()) + headerBytes(record);
        }
        return count;
    }

    private static long headerBytes(ConsumerRecord record) {
        Header[] headers = record.headers().toArray();
        long size = 0;
        for (int i = 0; i < headers.length; i++) {
            byte[] value = headers[i].value();
            size += headers[i].key().length() + (value == null ? 0 : value.length);
        }
        return size;
    }

    private void checkTask() {
        if (range.partition() >= ours.keys.length) {
            throw new IllegalStateException("millstream: a record has come from partition "
                + range.partition() + " of topic \"" + range.topic() + "\", for which there are "
                + ours.keys.length + " tasks.");
        }
    }

    public Object get() {
        return row;
    }

    public void close() {
        if (open) {
            open = false;
            consumer.release();
            ours.measured.add(Long.valueOf(read));
            ours.measured.add(Long.valueOf(nanos));
        }
    }

    public CustomTaskMetric[] currentMetricsValues() {
        return new CustomTaskMetric[] {
            new Measured("offsetOutOfRange", consumer.getNumOffsetOutOfRange()),
            new Measured("dataLoss", consumer.getNumDataLoss())};
    }

    private static class Measured implements CustomTaskMetric {
        private final String name;
        private final long value;

        Measured(String name, long value) {
            this.name = name;
            this.value = value;
        }

        public String name() {
            return name;
        }

        public long value() {
            return value;
        }
    }
}
