"""Drafts of programs that wait: what a program does while it runs is done while it runs."""

from __future__ import annotations

import re

import pytest

from compat_tests.porting.running import HEAD
from millstream.porting.drafting.draft import draft

HOOK = "Runtime.getRuntime().addShutdownHook(new Thread(() -> { s.close(); l.countDown(); }));"
START = "KafkaStreams s = new KafkaStreams(t, p);"


def calls(body: str, result: str = "void") -> list[str]:
    """Return the calls of the draft that start, wait and do other work, in their order."""
    body = body.replace("; ", ";\n")
    java = (
        f"{HEAD}import java.util.concurrent.*; class A {{ static {result} main(Topology t,"
        f" Properties p, Service w) throws Exception {{ {body} }} }}"
    )
    lines = draft(java.encode()).text.splitlines()
    known = re.compile(r"(s\.\w+\(.*\)|w\.start\(\)|return s|# .*wait\(\).*)")
    return [row.strip() for row in lines if known.fullmatch(row.strip())]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (f"{START} s.start(); {HOOK}", ["s.run()"]),
        (f"{START} s.start(); {HOOK} w.start();", ["s.start()", "w.start()", "s.wait()"]),
        (
            (
                f"CountDownLatch l = new CountDownLatch(1); {START} {HOOK}"
                " try { s.start(); l.await(); } catch (Throwable e) { w.start(); }"
            ),
            ["s.run()", "w.start()"],
        ),
        (
            f"CountDownLatch l = new CountDownLatch(1); {START} s.start(); w.start(); l.await();",
            ["s.start()", "w.start()", "s.wait()"],
        ),
        (
            (
                "try (KafkaStreams s = new KafkaStreams(t, p)) { s.start();"
                " new CountDownLatch(1).await(60, TimeUnit.SECONDS); }"
            ),
            ["s.start()", "s.wait(Duration.ofSeconds(60))"],
        ),
        # start() returns in the state RUNNING.
        (
            (
                f"CountDownLatch l = new CountDownLatch(1); {START}"
                " s.setStateListener((n, o) -> l.countDown()); s.start(); l.await(); w.start();"
            ),
            ["s.setStateListener(setStateListener_line_4)", "s.start()", "w.start()"],
        ),
        (f"{START} s.start(); w.start();", ["s.start()", "w.start()"]),
    ],
)
def test_a_program_waits_where_java_does(body: str, found: list[str]) -> None:
    made = [row for row in calls(body) if not row.startswith("#")]
    assert made == found


def test_who_gets_what_was_started_is_told_to_wait() -> None:
    note = "# Java, line 2: who calls this has to call s.wait() at the end."
    found = calls(f"{START} s.start(); {HOOK} return s;", "KafkaStreams")
    assert found[-2:] == [note, "return s"]
    assert calls(f"{START} s.start(); {HOOK} return true;", "boolean")[-1] == note


def test_what_a_hook_does_besides_is_shown() -> None:
    java = (
        f"{HEAD}class A {{ static void main(KafkaStreams s, Server h) {{ s.start();\n"
        "Runtime.getRuntime().addShutdownHook(new Thread(s::close));\n"
        "Runtime.getRuntime().addShutdownHook(new Thread(() -> h.stop(0)));\n } }"
    )
    assert draft(java.encode()).text.split("def main(s, h):\n")[1].splitlines()[:5] == [
        "    s.run()",
        "    # Java, line 3: the shutdown hook is not needed; run() and wait() close at a signal.",
        (
            "    # Java, line 4: what this hook does has to stand behind run() or wait(),"
            " which close at a signal:"
        ),
        "    #   Runtime.getRuntime().addShutdownHook(new Thread(() -> h.stop(0)))",
        "",
    ]


def test_methods_of_a_class_within_the_method_do_not_wait() -> None:
    java = (
        f"{HEAD}class A {{ static void main(KafkaStreams s, Server h) {{ s.start();\n"
        "h.set(new Object() { int n; void f() { n = 1; } void g() { n = 2; } });\n"
        "Runtime.getRuntime().addShutdownHook(new Thread(s::close));\n } }"
    )
    rows = draft(java.encode()).text.splitlines()
    assert [row for row in rows if row.endswith("s.wait()")] == ["    s.wait()"]
