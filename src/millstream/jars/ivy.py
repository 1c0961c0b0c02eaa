"""Ivy, the client of Maven repositories that every pyspark installation has."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from xml.sax.saxutils import quoteattr

from millstream.jars.errors import JarFetchError
from millstream.jars.java import java_command
from millstream.jars.lock import LockedJar

# Ivy's defaults also search ~/.m2, where a pom without its jar makes the whole fetch fail. The lock
# has the SHA-256 of each jar, so the repository's checksum files are not needed.
_SETTINGS = """\
<ivysettings>
  <settings defaultResolver="central"/>
  <resolvers>
    <ibiblio name="central" m2compatible="true" usepoms="false" checksums=""/>
  </resolvers>
</ivysettings>
"""

_DONE = re.compile(r"\[SUCCESSFUL \] [^#\s]+#([^;\s]+);([^!\s]+)!")
_MISSING = re.compile(r":: ([\w.\-]+)#([\w.\-]+);([\w.\-]+).*: not found")
_UNREACHABLE = (
    "Server access error",
    "Server access Error",
    "UnknownHostException",
    "ConnectException",
    "not well configured",
    "timed out",
)


def retrieve(
    wanted: Sequence[LockedJar],
    target: Path,
    *,
    settings: Path | None,
    on_jar: Callable[[str, str], None],
) -> None:
    """Download the jars, without their dependencies, into the folder `target`.

    Args:
        wanted: The jars; at most one version of each artifact.
        target: An existing, empty folder; also holds Ivy's own files.
        settings: An `ivysettings.xml` that names other repositories or a proxy.
        on_jar: Called with artifact and version after each download.

    Raises:
        JarFetchError: A repository cannot be reached, or lacks a jar.
        JavaNotFoundError: There is no Java to run Ivy with.
    """
    if settings is None:
        settings = target / "ivysettings.xml"
        settings.write_text(_SETTINGS, encoding="utf-8")
    elif not settings.is_file():
        raise JarFetchError(f"the Ivy settings file {settings} does not exist")
    ivy_file = target / "ivy.xml"
    ivy_file.write_text(_ivy_file(wanted), encoding="utf-8")
    output = _run(
        [
            *(java_command(), "-XX:TieredStopAtLevel=1", "-Djava.net.useSystemProxies=true"),
            *("-cp", str(_ivy_jar()), "org.apache.ivy.Main"),
            *("-settings", str(settings), "-ivy", str(ivy_file), "-cache", str(target / "ivy")),
            *("-retrieve", str(target / "[artifact]-[revision](-[classifier]).[ext]")),
            *("-types", *sorted({jar.type for jar in wanted})),
        ],
        on_jar,
    )
    if any(not (target / jar.file_name).is_file() for jar in wanted):
        raise _failure(output)


def _ivy_jar() -> Path:
    spec = find_spec("pyspark")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for jar in Path(folder, "jars").glob("ivy-*.jar"):
            return jar
    raise JarFetchError(
        "cannot find Ivy, which fetches jars",
        detail="It comes with pyspark as jars/ivy-*.jar.",
        hint="Install pyspark with pip.",
    )


def _ivy_file(wanted: Sequence[LockedJar]) -> str:
    rows = "".join(
        f"<dependency org={quoteattr(jar.group)} name={quoteattr(jar.artifact)} "
        f'rev={quoteattr(jar.version)} transitive="false" conf="default">'
        f"<artifact name={quoteattr(jar.artifact)} type={quoteattr(jar.type)} "
        f"ext={quoteattr(jar.type)}{_classified(jar)}/></dependency>\n"
        for jar in wanted
    )
    return (
        '<ivy-module version="2.0" xmlns:m="http://ant.apache.org/ivy/maven">\n'
        '<info organisation="millstream" module="jars" revision="1"/>\n'
        f'<configurations><conf name="default"/></configurations>\n'
        f"<dependencies>\n{rows}</dependencies></ivy-module>\n"
    )


def _classified(jar: LockedJar) -> str:
    return f" m:classifier={quoteattr(jar.classifier)}" if jar.classifier else ""


def _run(command: list[str], on_jar: Callable[[str, str], None]) -> str:
    lines: list[str] = []
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env={**os.environ, "LC_ALL": "C"},
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            if done := _DONE.search(line):
                on_jar(done.group(1), done.group(2))
    return "".join(lines)


def _failure(output: str) -> JarFetchError:
    if any(sign in output for sign in _UNREACHABLE):
        return JarFetchError(
            "cannot fetch jars: the repository does not answer",
            hint="Check the network, or let MILLSTREAM_IVY_SETTINGS name a mirror's settings.",
        )
    if missing := [":".join(found) for found in _MISSING.findall(output)]:
        return JarFetchError(
            "cannot fetch jars: the repository lacks some",
            detail=f"Missing: {', '.join(dict.fromkeys(missing))}.",
            hint="Check the repositories in the ivysettings.xml in use.",
        )
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    telling = [line for line in lines if "Exception" in line or "error" in line] or lines[-1:]
    return JarFetchError("cannot fetch jars: Ivy failed", detail=f"Ivy: {''.join(telling[:1])}")
