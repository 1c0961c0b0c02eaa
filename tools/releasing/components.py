"""List of components (SBOM) of a version, as CycloneDX: Python packages, and jars of the locks."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone

from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.model.license import LicenseExpression
from cyclonedx.model.tool import Tool
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

from millstream.jars.lock import LockedJar
from tools.releasing.closure import Package
from tools.releasing.errors import Refused
from tools.releasing.licences import Licences

VERSION = SchemaVersion.V1_6
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_DNS, "millstream")
# An application on a broker needs these; the other locks are for tests and comparisons.
_REQUIRED = "spark"


def bill(
    packages: Mapping[str, Package],
    locks: Mapping[str, Iterable[LockedJar]],
    licences: Licences,
    epoch: int,
) -> str:
    """Return the list of components as JSON; the same text for the same arguments.

    Args:
        packages: ``millstream`` and all that it needs, by name.
        locks: The jars of each lock, by the lock's name.
        licences: Licences of both.
        epoch: The version's time, in seconds.

    Raises:
        Refused: A licence is unknown, or what was made is not valid.
    """
    made = {name: _python(each, licences) for name, each in packages.items()}
    jars = {
        jar.coordinate: _jar(jar, scope, licences)
        for name, locked in sorted(locks.items(), reverse=True)
        for jar in locked
        for scope in [ComponentScope.REQUIRED if name == _REQUIRED else ComponentScope.OPTIONAL]
    }
    whole = made["millstream"]
    whole.type = ComponentType.FRAMEWORK
    bom = Bom(
        serial_number=uuid.uuid5(_NAMESPACE, f"{whole.version} {epoch}"),
        components=[*(each for each in made.values() if each is not whole), *jars.values()],
    )
    bom.metadata.timestamp = datetime.fromtimestamp(epoch, timezone.utc)
    bom.metadata.component = whole
    bom.metadata.tools.tools.add(Tool(name="tools/release.py", version=whole.version))
    for name, each in packages.items():
        bom.register_dependency(made[name], [made[need] for need in each.needs])
    bom.register_dependency(whole, jars.values())
    return _text(bom)


def _python(package: Package, licences: Licences) -> Component:
    return Component(
        type=ComponentType.LIBRARY,
        name=package.name,
        version=package.version,
        bom_ref=f"python:{package.name}",
        purl=PackageURL("pypi", name=package.name, version=package.version),
        licenses=[LicenseExpression(licences.of_package(package))],
    )


def _jar(jar: LockedJar, scope: ComponentScope, licences: Licences) -> Component:
    more = {"type": jar.type, "classifier": jar.classifier}
    qualifiers = {key: value for key, value in more.items() if value and value != "jar"}
    return Component(
        type=ComponentType.LIBRARY,
        group=jar.group,
        name=jar.artifact,
        version=jar.version,
        bom_ref=f"jar:{jar.coordinate}",
        purl=PackageURL("maven", jar.group, jar.artifact, jar.version, qualifiers),
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=jar.sha256)],
        scope=scope,
        licenses=[LicenseExpression(licences.of_jar(jar).licence)],
    )


def _text(bom: Bom) -> str:
    text = make_outputter(bom, OutputFormat.JSON, VERSION).output_as_string(indent=1)
    wrong = JsonStrictValidator(VERSION).validate_str(text)
    if wrong is not None:
        raise Refused(f"the list of components is not valid CycloneDX: {wrong}")
    return text + "\n"
