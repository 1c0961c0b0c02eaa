"""Properties of drafts: whatever the source, they are valid Python and always the same."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from millstream.porting.drafting.draft import draft

SOURCES = [path.read_bytes() for path in sorted(Path(__file__).parent.glob("*/*.java"))]
PIECES = [
    b"{",
    b"}",
    b"(",
    b")",
    b";",
    b'"',
    b"->",
    b"::",
    b"/*",
    b"class X",
    b"\x00",
    b"\xff",
    b"\n",
]


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A Java source with a piece cut out, and another put in somewhere."""
    source = draw(st.sampled_from(SOURCES))
    start = draw(st.integers(0, len(source)))
    end = draw(st.integers(start, min(len(source), start + 200)))
    at = draw(st.integers(0, len(source)))
    source = source[:start] + source[end:]
    return source[:at] + draw(st.sampled_from(PIECES)) + source[at:]


@settings(deadline=None)
@given(source=damaged())
def test_a_damaged_source_gives_valid_python(source: bytes) -> None:
    made = draft(source)
    compile(made.text, "draft", "exec")
    assert made.text == draft(source).text


@settings(deadline=None)
@given(source=st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_anything_gives_valid_python(source: bytes) -> None:
    compile(draft(source).text, "draft", "exec")


@settings(deadline=None)
@given(names=st.lists(st.sampled_from(["class_", "from", "lambda", "list", "self", "is", "None"])))
def test_names_that_python_keeps_for_itself_are_changed(names: list[str]) -> None:
    body = "".join(f"int {name} = 1; {name} += 2;" for name in names)
    made = draft(f"class A {{ static void f() {{ {body} }} }}".encode())
    compile(made.text, "draft", "exec")
    assert made.left == ()
