"""Small classes of Java, compiled in the driver's JVM by the compiler that Spark has for queries.

They are for what Spark offers to nothing but Java, and what must happen within a call of Spark's.
"""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession


def compiled(session: SparkSession, source: str, name: str, *arguments: Any) -> Any:
    """Return a new object of a class.

    Args:
        session: The session whose JVM compiles it.
        source: Its source. The compiler knows neither lambdas nor inferred type arguments.
        name: Its name, with the package.
        arguments: Those of its only constructor; objects of the JVM, or text.

    Raises:
        Exception: The class does not fit this version of Spark.
    """
    gateway: Any = session.sparkContext._gateway
    # One class of a name in a JVM: py4j takes two for the same.
    classes: dict[str, Any] = gateway.__dict__.setdefault("_millstream_classes", {})
    if name not in classes:
        jvm: Any = session._jvm
        compiler = jvm.org.codehaus.janino.SimpleCompiler()
        compiler.setParentClassLoader(jvm.java.lang.Thread.currentThread().getContextClassLoader())
        compiler.cook(source)
        classes[name] = compiler.getClassLoader().loadClass(name)
    (constructor,) = classes[name].getDeclaredConstructors()
    values = gateway.new_array(gateway.jvm.java.lang.Object, len(arguments))
    for place, argument in enumerate(arguments):
        values[place] = argument
    return constructor.newInstance(values)
