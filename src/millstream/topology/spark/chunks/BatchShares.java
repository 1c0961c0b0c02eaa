package millstream;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;

/**
 * How many of a batch's records each stage may read: a part of the whole by what it has not read.
 *
 * <p>What a stage has not read changes from batch to batch: one without a backlog at the start may
 * have all of it a week later. On the driver only.
 */
public class BatchShares {
    private final long whole;
    private final double least;
    private final Map unread = new HashMap();

    /**
     * Args: the most records of a batch, and the least share of a stage as a fraction of what all
     * have not read.
     */
    public BatchShares(long whole, double least) {
        this.whole = whole;
        this.least = least;
    }

    /** Note how many records a stage has not read. */
    public synchronized void note(int stage, long records) {
        unread.put(Integer.valueOf(stage), Long.valueOf(records));
    }

    /** Note how many records a stage has not read, and return how many of them it may read now. */
    public synchronized long limit(int stage, long records) {
        note(stage, records);
        double all = 0;
        for (Iterator each = unread.values().iterator(); each.hasNext();) {
            all += ((Long) each.next()).longValue();
        }
        double share = all == 0
            ? 1.0 / unread.size()
            : (records / all + least) / (1 + least * unread.size());
        return Math.max(1, (long) (whole * share));
    }
}
