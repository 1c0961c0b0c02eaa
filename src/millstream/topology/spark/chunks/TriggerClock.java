package millstream;

import java.lang.reflect.Field;

import org.apache.spark.sql.execution.streaming.runtime.MicroBatchExecution;
import org.apache.spark.sql.execution.streaming.runtime.ProcessingTimeExecutor;
import org.apache.spark.util.Clock;

import org.slf4j.LoggerFactory;

/**
 * Clock of a query's trigger: where records are left unread, the next batch begins at once.
 *
 * <p>Spark's trigger waits after each batch, whatever is left: with a limit of records, a minute
 * between batches would be a limit of records a minute.
 */
public class TriggerClock implements Clock, Runnable {
    private static final long LOOK_MS = 10;

    private final MicroBatchExecution query;
    private final BatchShares shares;
    /** The one in whose place this is; the query's thread reads it. */
    private volatile Clock clock = null;

    TriggerClock(MicroBatchExecution query, BatchShares shares) {
        this.query = query;
        this.shares = shares;
    }

    /** Take the place of the clock, as soon as the query has begun to use it. */
    public void run() {
        try {
            while (query.isActive() && !isInPlace()) {
                Thread.sleep(LOOK_MS);
            }
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        } catch (ReflectiveOperationException error) {
            LoggerFactory.getLogger(TriggerClock.class).warn(
                "Batches wait for commit.interval.ms, also where records are left unread.", error);
        }
    }

    private boolean isInPlace() throws ReflectiveOperationException {
        Object trigger = query.triggerExecutor();
        if (trigger instanceof ProcessingTimeExecutor) {
            Field field = ProcessingTimeExecutor.class.getDeclaredField("clock");
            field.setAccessible(true);
            clock = (Clock) field.get(trigger);
            field.set(trigger, this);
        }
        return trigger != null;
    }

    public long getTimeMillis() {
        return clock.getTimeMillis();
    }

    public long nanoTime() {
        return clock.nanoTime();
    }

    public long waitTillTime(long time) {
        return shares.isBehind() ? clock.getTimeMillis() : clock.waitTillTime(time);
    }
}
