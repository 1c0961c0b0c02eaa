import java.util.concurrent.atomic.LongAdder;

/** What each workload does with its sources. */
final class Workloads {
    private Workloads() {
    }

    static void build(String workload, Inputs inputs, String output, LongAdder arrived) {
        switch (workload) {
            case "pass" -> inputs.texts(0).to(output, Records.TEXTS);
            case "dedup" -> Records.deduplicated(inputs, output);
            case "processor" -> Records.countedLately(inputs, output);
            case "headers" -> Records.stamped(inputs, output);
            case "flat-map" -> Records.copied(inputs, output);
            case "large-values" -> Records.latest(inputs, output);
            case "avro" -> Purchases.doubled(inputs, output);
            case "count" -> Aggregations.count(inputs, output);
            case "repartition-count" -> Aggregations.repartitionCount(inputs, output, arrived);
            case "window-count" -> Aggregations.windowCount(inputs, output);
            case "suppress-final" -> Aggregations.suppressFinal(inputs, output);
            case "emit-final" -> Aggregations.emitFinal(inputs, output);
            case "sliding-count" -> Aggregations.slidingCount(inputs, output);
            case "session-count" -> Aggregations.sessionCount(inputs, output);
            case "cogroup" -> Aggregations.cogroup(inputs, output);
            case "table-join" -> Joins.tables(inputs, output);
            case "stream-join" -> Joins.streams(inputs, output);
            case "stream-left-join" -> Joins.leftStreams(inputs, output);
            case "stream-outer-join" -> Joins.outerStreams(inputs, output);
            case "fk-join", "fk-join-few-keys" -> Joins.foreignKey(inputs, output);
            case "global-join" -> Joins.global(inputs, output);
            case "versioned-join" -> Joins.versioned(inputs, output);
            default -> throw new IllegalArgumentException("unknown workload " + workload);
        }
    }
}
