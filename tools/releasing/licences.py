"""Licences of packages and jars, and whether they are allowed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import Any

from license_expression import AND, OR, ExpressionError, get_spdx_licensing

from millstream.jars.lock import LockedJar
from tools.releasing.closure import Package
from tools.releasing.errors import Refused

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILE = Path(__file__).with_name("licences.toml")
_SPDX = get_spdx_licensing()
# Of classifiers, those that name one licence; "BSD License" names several.
_CLASSIFIERS = {
    "Apache Software License": "Apache-2.0",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}


@dataclass(frozen=True, slots=True)
class JarLicence:
    """Licence of a jar, and whether the jar lacks its text."""

    licence: str
    bare: bool = False


@dataclass(frozen=True, slots=True)
class Licences:
    """What ``licences.toml`` says."""

    allowed: frozenset[str]
    packages: Mapping[str, str]
    sometimes: Mapping[str, str]
    jars: Mapping[str, JarLicence]

    def of_package(self, package: Package) -> str:
        """Return a package's licence as SPDX writes it.

        Raises:
            Refused: Neither its metadata nor the file says it.
        """
        classified = [_CLASSIFIERS[name] for name in package.classifiers if name in _CLASSIFIERS]
        given = (
            package.expression,
            self.packages.get(package.name),
            self.sometimes.get(package.name),
            package.text,
            *classified,
        )
        for each in given:
            if each and _is_known(each):
                return each
        raise Refused(
            f"{package.name} {package.version} does not say its licence as SPDX does: read it, and "
            f"write it into {FILE.name}"
        )

    def of_jar(self, jar: LockedJar) -> JarLicence:
        """Return a jar's licence.

        Raises:
            Refused: The file does not say it.
        """
        name = f"{jar.group}:{jar.artifact}"
        for pattern, found in self.jars.items():
            if fnmatch(name, pattern):
                return found
        raise Refused(
            f"the licence of jar {name} is not in {FILE.name}: read it, and write it there"
        )

    def allow(self, licence: str) -> bool:
        """Tell whether a licence is allowed: all parts of it, or one of those to choose from."""
        return _is_known(licence) and self._allows(_SPDX.parse(licence))

    def _allows(self, expression: Any) -> bool:
        if isinstance(expression, AND):
            return all(self._allows(part) for part in expression.args)
        if isinstance(expression, OR):
            return any(self._allows(part) for part in expression.args)
        return expression.key in self.allowed

    def check(self, packages: Iterable[Package], jars: Iterable[LockedJar]) -> None:
        """Check all licences.

        Raises:
            Refused: One is unknown, or not allowed.
        """
        wrong: list[str] = []
        for each in packages:
            wrong += self._wrong(f"{each.name} {each.version}", partial(self.of_package, each))
        for jar in jars:
            wrong += self._wrong(jar.coordinate, partial(self._of_jar, jar))
        if wrong:
            raise Refused("\n".join(wrong))

    def _of_jar(self, jar: LockedJar) -> str:
        return self.of_jar(jar).licence

    def _wrong(self, name: str, licence: Callable[[], str]) -> Iterator[str]:
        """Yield what is wrong with one licence, if something is."""
        try:
            found = licence()
        except Refused as error:
            yield str(error)
            return
        if not self.allow(found):
            yield f"the licence of {name} is not allowed: {found}"


def read_licences(file: Path = FILE) -> Licences:
    """Read ``licences.toml``."""
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    return Licences(
        allowed=frozenset(data["allowed"]),
        packages=data["packages"],
        sometimes=data["sometimes"],
        jars={name: JarLicence(**entry) for name, entry in data["jars"].items()},
    )


def _is_known(licence: str) -> bool:
    """Tell whether a text is an SPDX expression of licences that SPDX has."""
    # A whole licence as text is no expression; parsing one takes long.
    if not licence.strip() or len(licence) > 200 or "\n" in licence:
        return False
    try:
        return not _SPDX.unknown_license_keys(_SPDX.parse(licence))
    except ExpressionError:
        return False
