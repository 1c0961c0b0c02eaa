"""Picture of a batch's life on Spark, from Kafka to Kafka."""

from __future__ import annotations

from tools.pictures.canvas import Canvas

STEPS = (
    ("plan", "driver", "offsets of this batch,", "noted in the checkpoint", "blue"),
    ("read, pack", "executors", "records as chunks,", "addressed to tasks", "blue"),
    ("stage 0", "tasks 0_0, 0_1, …", "processors, stores;", "repartitioned records", "green"),
    ("stage 1", "tasks 1_0, 1_1, …", "after the shuffle", "", "green"),
    ("sink", "one for each task", "one transaction: records,", "offsets, token", "orange"),
    ("commit", "driver", "the batch is done;", "queries see it", "grey"),
)
WIDTH, LEFT, TOP, BOX = 1000, 24, 96, 138


def draw() -> str:
    """Return the picture: the parts of a batch from left to right."""
    said = "; ".join(f"{name} ({who}): {one} {two}".strip() for name, who, one, two, _ in STEPS)
    canvas = Canvas(
        WIDTH,
        290,
        "The life of a batch",
        f"From left to right: {said}. The state of stages is written to Spark's checkpoint. If "
        "anything fails before the commit, the batch is repeated with the same records.",
    )
    canvas.write(LEFT, 30, "The life of a batch", at="start", size=16)
    canvas.write(LEFT, 54, "What came since the last batch becomes one batch.", "dim", at="start")
    step = (WIDTH - 2 * LEFT - BOX) / (len(STEPS) - 1)
    for number, (name, who, one, two, kind) in enumerate(STEPS):
        x = LEFT + step * number
        canvas.box(x, TOP, BOX, 54, kind, rounding=6)
        canvas.write(x + BOX / 2, TOP + 23, name, size=15)
        canvas.write(x + BOX / 2, TOP + 43, who, "dim", size=11)
        canvas.write(x + BOX / 2, TOP + 76, one, "dim", size=12)
        canvas.write(x + BOX / 2, TOP + 92, two, "dim", size=12)
        if number:
            canvas.arrow(x - step + BOX + 2, TOP + 27, x - 3, TOP + 27)
    left, right = LEFT + 2 * step, LEFT + 3 * step + BOX
    canvas.box(left, 218, right - left, 34, "grey", rounding=6)
    canvas.write((left + right) / 2, 240, "checkpoint: what each task has changed")
    canvas.arrow((left + right) / 2, TOP + 98, (left + right) / 2, 214)
    said = "A failure before the commit repeats the batch, with the same records."
    canvas.write(LEFT, 276, said, "dim", at="start", size=12)
    return canvas.svg()


def pictures() -> dict[str, str]:
    """Return the picture by the name of its file."""
    return {"batch.svg": draw()}
