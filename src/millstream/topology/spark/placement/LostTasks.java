package millstream;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.apache.spark.OneToOneDependency;
import org.apache.spark.rdd.RDD;
import org.apache.spark.scheduler.ExecutorCacheTaskLocation;
import org.apache.spark.scheduler.ExecutorLossReason;
import org.apache.spark.scheduler.Pool;
import org.apache.spark.scheduler.Schedulable;
import org.apache.spark.scheduler.SchedulingMode;
import org.apache.spark.scheduler.Stage;
import org.apache.spark.scheduler.Task;
import org.apache.spark.scheduler.TaskLocality;
import org.apache.spark.scheduler.TaskSchedulerImpl;
import org.apache.spark.scheduler.TaskSetManager;
import org.apache.spark.sql.execution.streaming.state.BaseStateStoreRDD;

/**
 * Leads the tasks of a lost executor to the executors that have copies of their state.
 *
 * Spark tries such a task again within its stage, on any executor. This is a child of the
 * scheduler's pool that has no tasks: so Spark tells it of a loss, and asks it before each offer of
 * cores, both under the scheduler's lock. An error here must not reach the scheduler.
 */
public class LostTasks implements Schedulable {
    /** How long a task with state waits for its executor; Spark's own default. */
    private static final long WAIT_MS = 3000;
    /** How many lost executors are remembered: the next batch or two may still prefer one. */
    private static final int REMEMBERED = 16;

    private final TaskSchedulerImpl scheduler;
    private final String name;
    private final Method index;
    private final Method since;
    private final List redirected = new ArrayList();
    private final Map kept = new WeakHashMap();
    private final Map compared = new WeakHashMap();
    private final List lost = new ArrayList();
    private volatile Map copies = Collections.emptyMap();
    private volatile Map cold = Collections.emptyMap();
    private volatile String warms = "";
    private volatile boolean keeps = true;
    private volatile int count = 0;
    private volatile String problem = "";
    private Pool parent = null;

    public LostTasks(TaskSchedulerImpl scheduler, String name) throws Exception {
        this.scheduler = scheduler;
        this.name = name;
        index = TaskSetManager.class.getDeclaredMethod(
            "currentLocalityIndex_$eq", new Class[] {Integer.TYPE});
        since = TaskSetManager.class.getDeclaredMethod(
            "lastLocalityWaitResetTime_$eq", new Class[] {Long.TYPE});
        index.setAccessible(true);
        since.setAccessible(true);
    }

    public void begin() {
        synchronized (scheduler) {
            scheduler.rootPool().addSchedulable(this);
        }
    }

    public void end() {
        synchronized (scheduler) {
            scheduler.rootPool().removeSchedulable(this);
        }
    }

    /** Set the executors that have copies: ids of Spark's state stores, and places. */
    public void setCopies(Map copies) {
        this.copies = new HashMap(copies);
    }

    /**
     * Set the map whose keys are the executors that are being warmed up; it may change.
     *
     * Jobs that warm one up have the property.
     */
    public void setCold(Map cold, String property) {
        warms = property;
        this.cold = cold;
    }

    /** Leave tasks with state the wait that the user has chosen. */
    public void keepNoPlaces() {
        keeps = false;
    }

    /** Return how many tasks were led to a copy. */
    public int redirected() {
        return count;
    }

    /** Return the last error, or nothing. */
    public String problem() {
        return problem;
    }

    public void executorLost(String executor, String host, ExecutorLossReason reason) {
        try {
            lost.add(executor);
            if (lost.size() > REMEMBERED) {
                lost.remove(0);
            }
            if (copies.isEmpty()) {
                return;
            }
            List running = new ArrayList();
            addTaskSets(scheduler.rootPool(), running);
            for (Iterator each = running.iterator(); each.hasNext();) {
                redirect((TaskSetManager) each.next(), executor);
            }
        } catch (Throwable error) {
            problem = error.toString();
        }
    }

    public scala.collection.mutable.ArrayBuffer getSortedTaskSetQueue() {
        try {
            if (!lost.isEmpty() && !copies.isEmpty()) {
                redirectNew();
            }
            if (!redirected.isEmpty()) {
                beforeAnOffer();
            }
            if (keeps) {
                keepPlaces();
            }
            if (!cold.isEmpty() || !lost.isEmpty()) {
                passOver();
            }
        } catch (Throwable error) {
            problem = error.toString();
        }
        return new scala.collection.mutable.ArrayBuffer();
    }

    /** Change the places that the tasks of a lost executor prefer, before Spark tries them again. */
    private void redirect(TaskSetManager set, String executor) throws Exception {
        BaseStateStoreRDD state = stateOf(set);
        if (state == null) {
            return;
        }
        boolean any = false;
        Task[] tasks = set.tasks();
        for (int i = 0; i < tasks.length; i++) {
            if (set.successful()[i] && !tasks[i].getClass().getSimpleName().equals("ShuffleMapTask")
                || !prefers(tasks[i], executor)) {
                continue;
            }
            Object store = state.getStateProviderId(state.partitions()[tasks[i].partitionId()]);
            ExecutorCacheTaskLocation copy = (ExecutorCacheTaskLocation) copies.get(store);
            if (copy == null || !scheduler.isExecutorAlive(copy.executorId())
                || copy.executorId().equals(executor)) {
                continue;
            }
            Field places = tasks[i].getClass().getDeclaredField("preferredLocs");
            places.setAccessible(true);
            places.set(tasks[i], new scala.collection.immutable.$colon$colon(
                copy, scala.collection.immutable.Nil$.MODULE$));
            if (set.copiesRunning()[i] == 0 && !set.successful()[i]) {
                set.addPendingTask(i, true, false);
            }
            any = true;
            count++;
        }
        if (any) {
            redirected.add(set);
        }
    }

    /**
     * Do so for a stage that was submitted after the loss.
     *
     * Its tasks prefer the lost executor until a batch has run elsewhere.
     */
    private void redirectNew() throws Exception {
        List running = new ArrayList();
        addTaskSets(scheduler.rootPool(), running);
        for (Iterator each = running.iterator(); each.hasNext();) {
            TaskSetManager set = (TaskSetManager) each.next();
            if (compared.put(set, Boolean.TRUE) == null) {
                for (Iterator gone = lost.iterator(); gone.hasNext();) {
                    redirect(set, (String) gone.next());
                }
            }
        }
    }

    private void beforeAnOffer() throws Exception {
        Long now = Long.valueOf(System.currentTimeMillis());
        for (Iterator each = redirected.iterator(); each.hasNext();) {
            TaskSetManager set = (TaskSetManager) each.next();
            if (!set.isZombie()) {
                // Spark goes on where it was: at tasks that may run anywhere.
                set.recomputeLocality();
                index.invoke(set, new Object[] {Integer.valueOf(0)});
                since.invoke(set, new Object[] {now});
            }
        }
        redirected.clear();
    }

    /**
     * Let tasks with state wait for their executors as long as by Spark's own default.
     *
     * A shorter wait is for tasks that read topics. One with state that runs elsewhere, because its
     * executor has another task, restores its stores there.
     */
    private void keepPlaces() {
        List running = new ArrayList();
        addTaskSets(scheduler.rootPool(), running);
        for (Iterator each = running.iterator(); each.hasNext();) {
            TaskSetManager set = (TaskSetManager) each.next();
            // Spark makes new ones when an executor joins or is lost.
            long[] waits = set.localityWaits();
            if (kept.get(set) != waits && stateOf(set) != null && allHavePlaces(set)) {
                waits[0] = Math.max(waits[0], WAIT_MS);
                kept.put(set, waits);
            }
        }
    }

    /** Let tasks without state not wait for an executor that is lost, or that is being warmed up. */
    private void passOver() {
        List running = new ArrayList();
        addTaskSets(scheduler.rootPool(), running);
        for (Iterator each = running.iterator(); each.hasNext();) {
            TaskSetManager set = (TaskSetManager) each.next();
            Properties properties = set.taskSet().properties();
            boolean warming = properties != null && properties.getProperty(warms) != null;
            if (!warming && waitsInVain(set) && stateOf(set) == null) {
                java.util.Arrays.fill(set.localityWaits(), 0L);
            }
        }
    }

    private boolean waitsInVain(TaskSetManager set) {
        Task[] tasks = set.tasks();
        for (int i = 0; i < tasks.length; i++) {
            if (set.successful()[i] || set.copiesRunning()[i] > 0) {
                continue;
            }
            if (prefersTheLostOnly(tasks[i])) {
                return true;
            }
            for (Iterator each = cold.keySet().iterator(); each.hasNext();) {
                if (prefers(tasks[i], (String) each.next())) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Return whether every task that is to run prefers an executor that is alive. */
    private boolean allHavePlaces(TaskSetManager set) {
        if (!set.myLocalityLevels()[0].equals(TaskLocality.PROCESS_LOCAL())) {
            return false;
        }
        Task[] tasks = set.tasks();
        for (int i = 0; i < tasks.length; i++) {
            if (set.successful()[i] || set.copiesRunning()[i] > 0) {
                continue;
            }
            if (!prefersOneAlive(tasks[i])) {
                return false;
            }
        }
        return true;
    }

    /** Return whether all places of a task are lost executors; a host may have others. */
    private boolean prefersTheLostOnly(Task task) {
        scala.collection.Iterator places = task.preferredLocations().iterator();
        boolean any = places.hasNext();
        while (places.hasNext()) {
            Object place = places.next();
            if (!(place instanceof ExecutorCacheTaskLocation) || scheduler.isExecutorAlive(
                    ((ExecutorCacheTaskLocation) place).executorId())) {
                return false;
            }
        }
        return any;
    }

    private boolean prefersOneAlive(Task task) {
        boolean alive = false;
        scala.collection.Iterator places = task.preferredLocations().iterator();
        while (places.hasNext()) {
            Object place = places.next();
            alive |= place instanceof ExecutorCacheTaskLocation && scheduler.isExecutorAlive(
                ((ExecutorCacheTaskLocation) place).executorId());
        }
        return alive;
    }

    private static boolean prefers(Task task, String executor) {
        scala.collection.Iterator places = task.preferredLocations().iterator();
        while (places.hasNext()) {
            Object place = places.next();
            if (place instanceof ExecutorCacheTaskLocation
                && ((ExecutorCacheTaskLocation) place).executorId().equals(executor)) {
                return true;
            }
        }
        return false;
    }

    /** Return what opens the state stores of a stage; null for one without. */
    private BaseStateStoreRDD stateOf(TaskSetManager set) {
        scala.Option found = scheduler.dagScheduler().stageIdToStage().get(
            Integer.valueOf(set.stageId()));
        if (set.isZombie() || found.isEmpty()) {
            return null;
        }
        RDD rdd = ((Stage) found.get()).rdd();
        // Only where the partitions have the same numbers.
        while (!(rdd instanceof BaseStateStoreRDD)) {
            scala.collection.immutable.Seq parents = rdd.dependencies();
            if (parents.length() != 1 || !(parents.apply(0) instanceof OneToOneDependency)) {
                return null;
            }
            rdd = ((OneToOneDependency) parents.apply(0)).rdd();
        }
        return (BaseStateStoreRDD) rdd;
    }

    private static void addTaskSets(Pool pool, List sets) {
        for (Iterator each = pool.schedulableQueue().iterator(); each.hasNext();) {
            Object child = each.next();
            if (child instanceof TaskSetManager) {
                sets.add(child);
            } else if (child instanceof Pool) {
                addTaskSets((Pool) child, sets);
            }
        }
    }

    public Pool parent() {
        return parent;
    }

    public void parent_$eq(Pool pool) {
        parent = pool;
    }

    public ConcurrentLinkedQueue schedulableQueue() {
        return null;
    }

    public scala.Enumeration.Value schedulingMode() {
        return SchedulingMode.NONE();
    }

    public int weight() {
        return 1;
    }

    public int minShare() {
        return 0;
    }

    public int runningTasks() {
        return 0;
    }

    public int priority() {
        return 0;
    }

    public int stageId() {
        return -1;
    }

    public String name() {
        return name;
    }

    public boolean isSchedulable() {
        return false;
    }

    public void addSchedulable(Schedulable child) {
    }

    public void removeSchedulable(Schedulable child) {
    }

    public Schedulable getSchedulableByName(String wanted) {
        return null;
    }

    public void executorDecommission(String executor) {
    }

    public boolean checkSpeculatableTasks(long minimum) {
        return false;
    }
}
