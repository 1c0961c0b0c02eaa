"""Progress of Spark's query as metrics."""

from __future__ import annotations

from millstream.topology.spark.progress import lag_of, packing_ms, progress_metrics, with_records


def test_progress_becomes_metrics() -> None:
    progress = {
        "batchId": 4,
        "numInputRows": 10,
        "processedRowsPerSecond": 20.0,
        "durationMs": {"triggerExecution": 500},
        "sources": [
            {"endOffset": {"t": {"0": 7, "1": 2}}, "latestOffset": {"t": {"0": 10, "1": 2}}},
            {"endOffset": 3, "latestOffset": 3},
        ],
    }
    found = {n.name(): m.metricValue() for n, m in progress_metrics("app", progress).items()}

    assert found == {
        "records": 10.0,
        "process-rate": 20.0,
        "batch-time-ms": 500.0,
        "batch-id": 4.0,
        "records-lag": 3.0,
    }
    assert progress_metrics("app", None) == {}


def test_the_lag_of_a_batch_that_is_repeated_after_a_kill_is_not_known() -> None:
    tick = {"endOffset": {"offset": 5}, "latestOffset": None}
    asked = {"endOffset": {"t": {"0": 7}}, "latestOffset": {"t": {"0": 9}}}
    repeated = {"endOffset": {"u": {"0": 7}}, "latestOffset": None}
    assert lag_of({"sources": [tick, asked]}) == 2
    assert lag_of({"sources": [tick, asked, repeated]}) is None
    names = {n.name() for n in progress_metrics("app", {"sources": [repeated]})}
    assert "records-lag" not in names


def test_a_run_over_history_counts_records_by_their_offsets() -> None:
    tick = {"description": "RateStreamMicroBatch", "numInputRows": 1, "endOffset": {"offset": 5}}
    history = {
        "description": "org.apache.spark.x.PythonMicroBatchStreamWithAdmissionControl@1",
        "numInputRows": 2,
        "startOffset": {"t": {"0": 10, "1": 4}},
        "endOffset": {"t": {"0": 30, "1": 4}},
    }
    progress = {
        "numInputRows": 3,
        "durationMs": {"triggerExecution": 500},
        "sources": [tick, history],
    }
    found = with_records(progress)
    assert (found["numInputRows"], found["processedRowsPerSecond"]) == (21, 42)
    assert [each["numInputRows"] for each in found["sources"]] == [1, 20]
    assert "processedRowsPerSecond" not in with_records({"numInputRows": 3, "sources": [tick]})


def test_records_of_chunks_that_the_jvm_makes_are_those_it_counted() -> None:
    source = {
        "description": "MillstreamChunks[KafkaV2[Subscribe[t]]]",
        "numInputRows": 2,
        "startOffset": {"t": {"0": 10}},
        "endOffset": {"t": {"0": 30}},
        "metrics": {"millstreamRecords": "17", "millstreamReadMs": "3.5"},
    }
    plain = {"description": "KafkaV2[Subscribe[u]]", "numInputRows": 4, "metrics": {}}
    progress = {
        "numInputRows": 6,
        "durationMs": {"triggerExecution": 500},
        "sources": [source, plain],
    }
    found = with_records(progress)

    assert (found["numInputRows"], found["processedRowsPerSecond"]) == (21, 42)
    assert [each["numInputRows"] for each in found["sources"]] == [17, 4]
    assert packing_ms(found) == 3.5
    assert packing_ms({"sources": [plain]}) is None
