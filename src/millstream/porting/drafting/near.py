"""Other files of a Java program: what a draft of one of them has to know of their classes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from millstream.porting.drafting import avro
from millstream.porting.drafting.context import ClassShape
from millstream.porting.drafting.shapes import all_shapes
from millstream.porting.reading import java
from millstream.porting.reading.sources import as_utf8, read_file
from millstream.porting.reading.syntax import Unit

# A folder of more files is not one program.
MAX_NEAR = 300
# Files by which Maven and Gradle know a build, and how far above a module it is looked for.
BUILDS = ("pom.xml", "settings.gradle", "settings.gradle.kts", "build.gradle", "build.gradle.kts")
MAX_LEVELS = 3
MAX_SISTERS = 100


@dataclass(slots=True)
class Near:
    """Files of the same folder and imported ones, and those that these name.

    Attributes:
        shapes: Their classes by name, so that getters are known.
        units: They themselves, so that it is known what their methods give.
    """

    shapes: dict[str, ClassShape] = field(default_factory=dict)
    units: list[Unit] = field(default_factory=list)

    @classmethod
    def of(cls, path: Path, source: bytes) -> Near:
        """Read the files near one."""
        found = cls()
        own = java.read(path, source)
        roots = _roots(own)
        sisters = _sisters(roots[0]) if roots else []
        # Tests lie in the package of what they test, below another root.
        package = Path(*own.package.split("."))
        folders = [path.parent, *(root / package for root in roots[1:])]
        beside = [file for each in folders for file in sorted(each.glob("*.java"))[:MAX_NEAR]]
        words = set(re.findall(r"\w+", source.decode("utf-8", "replace")))
        imported = [
            *_imported(own, roots),
            # Of other modules only what the file names: they may have packages of one name.
            *(each for each in _imported(own, sisters) if each.stem in words),
            *(each for each in _in_package(package, sisters) if each.stem in words),
        ]
        everywhere = [*roots, *sisters]
        further = [file for each in imported for file in _named(each, everywhere)]
        for other in list(dict.fromkeys([*beside, *imported, *further]))[:MAX_NEAR]:
            if other == path or not isinstance(unit := read_file(other), Unit):
                continue
            found.units.append(unit)
            for name, shape in all_shapes(java.parse(as_utf8(other.read_bytes()))).items():
                found.shapes.setdefault(name, shape)
        wanted = {each.name for each in own.imports if not each.wildcard}
        for name, shape in (avro.shapes(roots) | avro.shapes(sisters, wanted)).items():
            found.shapes.setdefault(name, shape)
        return found


def _roots(unit: Unit) -> list[Path]:
    """Return the folders in which packages of the file's program begin."""
    own = unit.package.split(".") if unit.package else []
    parents = unit.path.absolute().parents
    if len(own) >= len(parents) or list(reversed(parents[0].parts))[: len(own)] != own[::-1]:
        return []
    roots = [parents[len(own)]]
    if roots[0].parts[-2:] == ("test", "java"):
        roots.append(roots[0].parents[1] / "main" / "java")
    return roots


def _in_package(package: Path, roots: list[Path]) -> list[Path]:
    return [file for root in roots for file in sorted((root / package).glob("*.java"))[:MAX_NEAR]]


def _sisters(root: Path) -> list[Path]:
    """Return the folders in which packages of the other modules of a build begin."""
    if root.parts[-3:] not in (("src", "main", "java"), ("src", "test", "java")):
        return []
    module = root.parents[2]
    above = list(module.parents)[:MAX_LEVELS]
    builds = [each for each in above if any((each / name).is_file() for name in BUILDS)]
    if not builds:
        return []
    levels = ["*/" * level for level in range(1, MAX_LEVELS + 1)]
    found = [each for level in levels for each in sorted(builds[-1].glob(f"{level}src/main/java"))]
    return [each for each in found if each.parents[2] != module][:MAX_SISTERS]


def _imported(unit: Unit, roots: list[Path]) -> list[Path]:
    """Return the files that a file imports from its own program, by the folders of packages."""
    found: list[Path] = []
    for each in unit.imports:
        place = Path(*each.name.split("."))
        for root in roots:
            if each.wildcard and not each.static:
                found.extend(sorted((root / place).glob("*.java"))[:MAX_NEAR])
                continue
            files = [(root / part).with_suffix(".java") for part in (place, place.parent)]
            found.extend([file for file in files if file.is_file()][:1])
    return found[:MAX_NEAR]


def _named(path: Path, roots: list[Path]) -> list[Path]:
    """Return the files of classes that an imported one names, and of those that extend it.

    What its methods give and take is known then, and which of them are getters of a field.
    """
    source = path.read_bytes()
    extends = re.compile(
        rb"\b(?:extends|implements)\b[^{]*\b" + re.escape(path.stem).encode() + rb"\b"
    )
    beside = [
        file
        for file in sorted(path.parent.glob("*.java"))[:MAX_NEAR]
        if file != path
        and (
            re.search(rf"\b{re.escape(file.stem)}\b".encode(), source)
            or extends.search(file.read_bytes())
        )
    ]
    imported = _imported(java.read(path, source), roots)
    return [*beside, *(each for each in imported if each.stem.encode() in source)]
