package millstream;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.Map;
import java.util.Properties;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.spark.scheduler.ExecutorResourcesAmounts;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorAdded;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.TaskSchedulerImpl;
import org.apache.spark.scheduler.TaskSetManager;
import org.apache.spark.scheduler.WorkerOffer;
import org.apache.spark.scheduler.cluster.CoarseGrainedSchedulerBackend;
import org.apache.spark.scheduler.cluster.ExecutorData;

/**
 * Keeps the cores of a new executor from all tasks, until the job that warms it up has them.
 *
 * Spark registers an executor about a second before it offers its cores. This listener hears of it
 * in between.
 */
public class NewExecutors extends SparkListener {
    /** Longest time, in ms, after which an executor takes tasks in any case. */
    private static final long MOST_MS = 30000;
    /** Before every job, which Spark orders by their numbers. */
    private static final int FIRST = -1;
    private static final int LOOK_MS = 2;

    private final CoarseGrainedSchedulerBackend backend;
    private final TaskSchedulerImpl scheduler;
    private final String property;
    private final Timer timer;
    private final Map held = new ConcurrentHashMap();
    private final Map cold = new ConcurrentHashMap();
    private volatile boolean holds = false;

    /** Make it; the property names the executor that a job is to warm up. */
    public NewExecutors(
        CoarseGrainedSchedulerBackend backend, TaskSchedulerImpl scheduler, String property
    ) {
        this.backend = backend;
        this.scheduler = scheduler;
        this.property = property;
        timer = new Timer("millstream-new-executors", true);
    }

    /** Hold executors that register from now on. */
    public void begin() {
        holds = true;
    }

    /** Hold none any more. */
    public void end() {
        holds = false;
        timer.cancel();
        cold.clear();
        for (Iterator each = new ArrayList(held.keySet()).iterator(); each.hasNext();) {
            release((String) each.next());
        }
    }

    /** Return the executors that are held, with commas. */
    public String held() {
        StringBuilder found = new StringBuilder();
        for (Iterator each = held.keySet().iterator(); each.hasNext();) {
            found.append(found.length() == 0 ? "" : ",").append(each.next());
        }
        return found.toString();
    }

    /** Return the executors that are being warmed up, as keys of a map that changes. */
    public Map cold() {
        return cold;
    }

    /** Note that an executor is warm. */
    public void warmed(String executor) {
        cold.remove(executor);
    }

    public void onExecutorAdded(SparkListenerExecutorAdded event) {
        if (holds) {
            hold(event.executorId());
        }
    }

    /** Hold an executor that has not started yet. */
    public void hold(final String executor) {
        synchronized (backend) {
            ExecutorData data = dataOf(executor);
            if (data == null || data.freeCores() > 0 || held.put(executor, Boolean.TRUE) != null) {
                return;
            }
            backend.executorsPendingLossReason().add(executor);
            cold.put(executor, Boolean.TRUE);
        }
        try {
            timer.schedule(new TimerTask() {
                public void run() {
                    release(executor);
                }
            }, MOST_MS);
        } catch (IllegalStateException ended) {
            release(executor);
        }
    }

    public void onExecutorRemoved(SparkListenerExecutorRemoved event) {
        held.remove(event.executorId());
        cold.remove(event.executorId());
    }

    /** Let an executor take tasks. */
    public void release(String executor) {
        if (held.remove(executor) != null) {
            synchronized (backend) {
                backend.executorsPendingLossReason().remove(executor);
            }
            backend.reviveOffers();
        }
    }

    /**
     * Wait until a held executor has started, and make it known to the scheduler.
     *
     * A job that prefers it runs elsewhere if it is submitted before.
     */
    public boolean started(String executor, long patience) throws InterruptedException {
        long end = System.currentTimeMillis() + patience;
        while (!offer(executor)) {
            if (!goesOn(executor, end)) {
                return false;
            }
        }
        return true;
    }

    /** Give the cores of a held executor to the jobs that warm it up, and release it. */
    public boolean admit(String executor, int jobs, long patience) throws InterruptedException {
        long end = System.currentTimeMillis() + patience;
        try {
            while (first(executor) < jobs) {
                if (!goesOn(executor, end)) {
                    return false;
                }
            }
            return true;
        } finally {
            release(executor);
        }
    }

    /** Let one more job that warms an executor up have its cores right after the ones before. */
    public boolean follow(String executor, long patience) throws InterruptedException {
        long end = System.currentTimeMillis() + patience;
        while (raised(executor) == 0) {
            if (System.currentTimeMillis() >= end) {
                return false;
            }
            Thread.sleep(LOOK_MS);
        }
        return true;
    }

    private boolean goesOn(String executor, long end) throws InterruptedException {
        Thread.sleep(LOOK_MS);
        return held.containsKey(executor) && System.currentTimeMillis() < end;
    }

    /** Make an executor known to the scheduler by an offer of no cores, once it has started. */
    private boolean offer(String executor) {
        ExecutorData data;
        synchronized (backend) {
            data = dataOf(executor);
        }
        if (data == null || data.freeCores() == 0) {
            return false;
        }
        WorkerOffer nothing = new WorkerOffer(
            executor, data.executorHost(), 0, scala.Option.apply(null),
            ExecutorResourcesAmounts.empty(), data.resourceProfileId());
        scala.collection.mutable.ArrayBuffer offers = new scala.collection.mutable.ArrayBuffer();
        offers.append(nothing);
        scheduler.resourceOffers(offers.toIndexedSeq(), false);
        return true;
    }

    private ExecutorData dataOf(String executor) {
        scala.Option found = backend
            .org$apache$spark$scheduler$cluster$CoarseGrainedSchedulerBackend$$executorDataMap()
            .get(executor);
        return found.isEmpty() ? null : (ExecutorData) found.get();
    }

    /** Put the jobs that warm an executor up before all others; return their number. */
    private int first(String executor) {
        raised(executor);
        synchronized (scheduler) {
            return warming(executor).size();
        }
    }

    /** Do so; return the number of those that were not. They wait for the executor. */
    private int raised(String executor) {
        synchronized (scheduler) {
            int found = 0;
            for (Iterator each = warming(executor).iterator(); each.hasNext();) {
                TaskSetManager set = (TaskSetManager) each.next();
                if (set.priority() != FIRST) {
                    set.priority_$eq(FIRST);
                    long[] waits = set.localityWaits();
                    waits[0] = Math.max(waits[0], MOST_MS);
                    found++;
                }
            }
            return found;
        }
    }

    /** Return the task sets of the jobs that warm an executor up. */
    private ArrayList warming(String executor) {
        ArrayList found = new ArrayList();
        scala.collection.Iterator waiting = scheduler.rootPool().getSortedTaskSetQueue().iterator();
        while (waiting.hasNext()) {
            TaskSetManager set = (TaskSetManager) waiting.next();
            Properties properties = set.taskSet().properties();
            if (properties != null && executor.equals(properties.getProperty(property))) {
                found.add(set);
            }
        }
        return found;
    }
}
