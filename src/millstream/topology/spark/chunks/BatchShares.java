package millstream;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;

import org.apache.spark.sql.execution.streaming.runtime.MicroBatchExecution;

/**
 * How many of a batch's records each stage may read: a part of the whole by what it has not read.
 *
 * <p>What a stage has not read changes from batch to batch: one without a backlog at the start may
 * have all of it a week later. While batches that are full are quick, later ones are larger, as
 * each costs the same time besides its records. On the driver only.
 */
public class BatchShares {
    private static final long QUICK_NANOS = 2000L * 1000 * 1000;
    private static final long SLOW_NANOS = 2 * QUICK_NANOS;

    private final long fewest;
    private final long most;
    private final double least;
    private final Map unread = new HashMap();
    /** Stages that have asked for the batch that is being planned. */
    private final Set asked = new HashSet();
    private long whole;
    private long began = 0;

    /**
     * Args: the most records of a batch, at first and while batches are quick; and the least share
     * of a stage as a fraction of what all have not read.
     */
    public BatchShares(long fewest, long most, double least) {
        this.fewest = fewest;
        this.most = most;
        this.least = least;
        whole = fewest;
    }

    /** Note how many records a stage has not read. */
    public synchronized void note(int stage, long records) {
        unread.put(Integer.valueOf(stage), Long.valueOf(records));
    }

    /** Note how many records a stage has not read, and return how many of them it may read now. */
    public long limit(int stage, long records) {
        return limit(stage, records, System.nanoTime());
    }

    /** The same at a moment: each stage asks once for a batch. */
    public synchronized long limit(int stage, long records, long nanos) {
        if (asked.contains(Integer.valueOf(stage))) {
            asked.clear();
            adapt(nanos - began);
        }
        if (asked.isEmpty()) {
            began = nanos;
        }
        asked.add(Integer.valueOf(stage));
        note(stage, records);
        double all = all();
        double share = all == 0
            ? 1.0 / unread.size()
            : (records / all + least) / (1 + least * unread.size());
        return Math.max(1, (long) (whole * share));
    }

    /** Return whether the last batch has left records unread because of its limit. */
    public synchronized boolean isBehind() {
        return all() > whole;
    }

    /** Let batches of a query begin at once while records are left unread. */
    public void hasten(Object query) {
        Thread thread = new Thread(new TriggerClock((MicroBatchExecution) query, this));
        thread.setName("millstream-trigger");
        thread.setDaemon(true);
        thread.start();
    }

    private double all() {
        double all = 0;
        for (Iterator each = unread.values().iterator(); each.hasNext();) {
            all += ((Long) each.next()).longValue();
        }
        return all;
    }

    /** Given how long the last batch took, if it was full. */
    private void adapt(long nanos) {
        if (!isBehind()) {
            return;
        }
        if (nanos < QUICK_NANOS) {
            whole = Math.min(most, 2 * whole);
        } else if (nanos > SLOW_NANOS) {
            whole = Math.max(fewest, whole / 2);
        }
    }
}
