package millstream;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import com.google.flatbuffers.FlatBufferBuilder;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A chunk of records as a stream in Arrow's IPC format, in one array.
 *
 * Columns: offsets, timestamps, keys, values and, if any record has one, headers: lists of structs
 * of name and value. First all sizes are counted, then each byte is copied once.
 */
public class ChunkBlob {
    private static final int MARK = -1;
    private static final int PREFIX = 8;

    private final ConsumerRecord[] records;
    private final int count;
    private final ChunkHeaders headers;
    /** Lengths and numbers of nulls of the columns, depth first, in pairs. */
    private final long[] nodes = new long[16];
    /** Places and lengths of the buffers in the body, in pairs. */
    private final long[] buffers = new long[38];
    private int nodeCount = 0;
    private int bufferCount = 0;
    private long size = 0;

    ChunkBlob(ConsumerRecord[] records, int count, ChunkHeaders headers) {
        this.records = records;
        this.count = count;
        this.headers = headers;
    }

    /** Return the stream that begins with these bytes of a schema. */
    byte[] bytes(byte[] schema) {
        byte[][] keys = new byte[count][];
        byte[][] values = new byte[count][];
        for (int i = 0; i < count; i++) {
            keys[i] = (byte[]) records[i].key();
            values[i] = (byte[]) records[i].value();
        }
        addNumbers();
        addNumbers();
        addBinary(keys);
        addBinary(values);
        if (headers != null) {
            addNode(count, headers.without);
            addBuffer(4L * (count + 1));
            addNode(headers.names.length, 0);
            addBinary(headers.names);
            addBinary(headers.values);
        }
        byte[] message = message();
        int begin = schema.length + PREFIX + padded(message.length);
        long whole = begin + size + PREFIX;
        if (whole > Integer.MAX_VALUE - 64) {
            throw new IllegalStateException(
                "a chunk of " + count + " records has " + whole + " bytes, more than a row may");
        }
        ByteBuffer out = ByteBuffer.wrap(new byte[(int) whole]).order(ByteOrder.LITTLE_ENDIAN);
        out.put(schema).putInt(MARK).putInt(padded(message.length)).put(message);
        bufferCount = 0;
        putNumbers(out, begin);
        putBinary(out, begin, keys);
        putBinary(out, begin, values);
        if (headers != null) {
            putLists(out, begin);
            putBinary(out, begin, headers.names);
            putBinary(out, begin, headers.values);
        }
        out.putInt((int) whole - PREFIX, MARK);
        return out.array();
    }

    private static int padded(int length) {
        return (length + 7) & ~7;
    }

    private void addNode(long length, long nulls) {
        nodes[nodeCount++] = length;
        nodes[nodeCount++] = nulls;
        addBuffer(nulls == 0 ? 0 : (length + 7) >> 3);
    }

    private void addBuffer(long length) {
        buffers[bufferCount++] = size;
        buffers[bufferCount++] = length;
        size += (length + 7) & ~7L;
    }

    private void addNumbers() {
        addNode(count, 0);
        addBuffer(8L * count);
    }

    private void addBinary(byte[][] cells) {
        long bytes = 0;
        int nulls = 0;
        for (int i = 0; i < cells.length; i++) {
            if (cells[i] == null) {
                nulls++;
            } else {
                bytes += cells[i].length;
            }
        }
        if (bytes > Integer.MAX_VALUE) {
            throw new IllegalStateException(
                "the keys or values of " + count + " records have " + bytes + " bytes");
        }
        addNode(cells.length, nulls);
        addBuffer(4L * (cells.length + 1));
        addBuffer(bytes);
    }

    private byte[] message() {
        FlatBufferBuilder builder = new FlatBufferBuilder(1024);
        RecordBatch.startNodesVector(builder, nodeCount / 2);
        for (int i = nodeCount - 2; i >= 0; i -= 2) {
            FieldNode.createFieldNode(builder, nodes[i], nodes[i + 1]);
        }
        int fields = builder.endVector();
        RecordBatch.startBuffersVector(builder, bufferCount / 2);
        for (int i = bufferCount - 2; i >= 0; i -= 2) {
            Buffer.createBuffer(builder, buffers[i], buffers[i + 1]);
        }
        int places = builder.endVector();
        RecordBatch.startRecordBatch(builder);
        RecordBatch.addLength(builder, count);
        RecordBatch.addNodes(builder, fields);
        RecordBatch.addBuffers(builder, places);
        int batch = RecordBatch.endRecordBatch(builder);
        Message.startMessage(builder);
        Message.addHeaderType(builder, MessageHeader.RecordBatch);
        Message.addHeader(builder, batch);
        Message.addVersion(builder, MetadataVersion.V5);
        Message.addBodyLength(builder, size);
        builder.finish(Message.endMessage(builder));
        return builder.sizedByteArray();
    }

    /** Go to the next buffer that was added; return whether it has any bytes. */
    private boolean atNext(ByteBuffer out, int begin) {
        out.position(begin + (int) buffers[bufferCount]);
        bufferCount += 2;
        return buffers[bufferCount - 1] > 0;
    }

    private void putNumbers(ByteBuffer out, int begin) {
        atNext(out, begin);
        atNext(out, begin);
        for (int i = 0; i < count; i++) {
            out.putLong(records[i].offset());
        }
        atNext(out, begin);
        atNext(out, begin);
        for (int i = 0; i < count; i++) {
            out.putLong(records[i].timestamp());
        }
    }

    private void putBinary(ByteBuffer out, int begin, byte[][] cells) {
        if (atNext(out, begin)) {
            int validity = out.position();
            for (int i = 0; i < cells.length; i++) {
                if (cells[i] != null) {
                    setBit(out.array(), validity, i);
                }
            }
        }
        atNext(out, begin);
        int end = 0;
        out.putInt(0);
        for (int i = 0; i < cells.length; i++) {
            end += cells[i] == null ? 0 : cells[i].length;
            out.putInt(end);
        }
        atNext(out, begin);
        byte[] all = out.array();
        int at = out.position();
        for (int i = 0; i < cells.length; i++) {
            if (cells[i] != null) {
                System.arraycopy(cells[i], 0, all, at, cells[i].length);
                at += cells[i].length;
            }
        }
    }

    private void putLists(ByteBuffer out, int begin) {
        if (atNext(out, begin)) {
            int validity = out.position();
            for (int i = 0; i < count; i++) {
                if (headers.starts[i + 1] > headers.starts[i]) {
                    setBit(out.array(), validity, i);
                }
            }
        }
        atNext(out, begin);
        for (int i = 0; i <= count; i++) {
            out.putInt(headers.starts[i]);
        }
        atNext(out, begin);
    }

    private static void setBit(byte[] all, int begin, int index) {
        int at = begin + (index >> 3);
        all[at] = (byte) (all[at] | 1 << (index & 7));
    }
}
