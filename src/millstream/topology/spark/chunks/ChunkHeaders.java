package millstream;

import java.nio.charset.StandardCharsets;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/** Headers of a chunk's records. */
public class ChunkHeaders {
    /** Where each record's headers begin among all; last, where they end. */
    final int[] starts;
    /** How many records have none. */
    final int without;
    final byte[][] names;
    final byte[][] values;

    private ChunkHeaders(int[] starts, int without, byte[][] names, byte[][] values) {
        this.starts = starts;
        this.without = without;
        this.names = names;
        this.values = values;
    }

    /** Return the headers; null if no record has any. */
    static ChunkHeaders of(ConsumerRecord[] records, int count) {
        Header[][] all = null;
        int[] starts = null;
        int without = 0;
        int total = 0;
        for (int i = 0; i < count; i++) {
            Header[] own = records[i].headers().toArray();
            if (own.length > 0 && all == null) {
                all = new Header[count][];
                starts = new int[count + 1];
                without = i;
            }
            if (all != null) {
                all[i] = own;
                total += own.length;
                starts[i + 1] = total;
                without += own.length == 0 ? 1 : 0;
            }
        }
        return all == null ? null : read(all, starts, without);
    }

    private static ChunkHeaders read(Header[][] all, int[] starts, int without) {
        int total = starts[all.length];
        byte[][] names = new byte[total][];
        byte[][] values = new byte[total][];
        int at = 0;
        for (int i = 0; i < all.length; i++) {
            int own = starts[i + 1] - starts[i];
            for (int j = 0; j < own; j++) {
                names[at] = all[i][j].key().getBytes(StandardCharsets.UTF_8);
                values[at] = all[i][j].value();
                at++;
            }
        }
        return new ChunkHeaders(starts, without, names, values);
    }
}
