"""Names and literals of Java in Python."""

from __future__ import annotations

import builtins
import json
import keyword
import re

from tree_sitter import Node

from millstream.porting.reading.nodes import text

# Names that a draft itself uses, so that a Java name must not hide them.
USED = frozenset(
    {"self", "outer", "re", "sys", "time", "logging", "uuid", "random", "json", "dataclass"}
    | {"field", "Enum", "closing", "split", "pytest", "Any", "math"}
    | {"quotient", "remainder", "fixed", "Decimal", "parse_int", "parse_double", "contextlib"}
    | {"decimal", "functools", "Fraction"}
    | {"text_of", "hash_code", "branch_by", "replace", "required", "added", "text_from"}
    | {"remove_if", "merged", "computed", "made_if_absent", "TextBuilder"}
    | {"map_present", "keep_present", "or_else", "or_made"}
    | {"copied_with", "deepcopy", "same_letters", "formatted", "number_in"}
    | {"to_map", "grouped_by", "islice", "cmp_to_key", "taken", "removed", "bisect", "order_by"}
)
BUILTINS = frozenset(name for name in dir(builtins) if name[0].islower())
TYPES = {
    "String": "str", "CharSequence": "str", "Character": "str", "char": "str", "Integer": "int",
    "int": "int", "Long": "int", "long": "int", "Short": "int", "short": "int", "byte": "int",
    "Byte": "int", "BigInteger": "int", "Double": "float", "double": "float", "Float": "float",
    "float": "float", "Number": "float", "Boolean": "bool", "boolean": "bool", "Object": "Any",
    "List": "list", "ArrayList": "list", "LinkedList": "list", "Collection": "list",
    "Iterable": "list", "Set": "set", "HashSet": "set", "Map": "dict", "HashMap": "dict",
    "TreeMap": "dict", "LinkedHashMap": "dict", "Properties": "dict", "byte[]": "bytes",
    "Void": "None", "void": "None", "LinkedHashSet": "set", "TreeSet": "set",
    "SortedMap": "dict", "NavigableMap": "dict", "SortedSet": "set", "NavigableSet": "set",
    "Queue": "list", "Deque": "list", "ArrayDeque": "list",
    "ConcurrentHashMap": "dict", "UUID": "UUID", "BigDecimal": "Decimal", "EnumMap": "dict",
    "EnumSet": "set",
}  # fmt: skip
# Kinds of objects that several of Python's classes are.
OF_OBJECTS = {
    "Number": "(int, float)",
    "Collection": "(list, set)",
    "Iterable": "(list, set)",
    "byte[]": "(bytes, bytearray)",
}
# What Java's classes of numbers say of themselves.
LIMITS = {
    "Integer.MAX_VALUE": "2**31 - 1", "Integer.MIN_VALUE": "-(2**31)",
    "Long.MAX_VALUE": "2**63 - 1", "Long.MIN_VALUE": "-(2**63)",
    "Short.MAX_VALUE": "32767", "Short.MIN_VALUE": "-32768",
    "Byte.MAX_VALUE": "127", "Byte.MIN_VALUE": "-128",
    "Double.MAX_VALUE": "1.7976931348623157e308", "Double.MIN_VALUE": "5e-324",
    "Float.MAX_VALUE": "3.4028234663852886e38", "Float.MIN_VALUE": "1.401298464324817e-45",
    "Double.POSITIVE_INFINITY": 'float("inf")', "Double.NEGATIVE_INFINITY": 'float("-inf")',
    "Double.NaN": 'float("nan")', "Boolean.TRUE": "True", "Boolean.FALSE": "False",
}  # fmt: skip
# Of Math and of Python's math alike.
OF_MATH = ("sqrt", "pow", "exp", "log", "log10", "sin", "cos", "tan", "asin", "acos", "atan",
           "atan2", "hypot", "tanh", "sinh", "cosh")  # fmt: skip
# Of java.lang, without a counterpart.
JDK = (
    "Thread", "Runtime", "StringBuilder", "StringBuffer", "Process", "ProcessBuilder", "Iterator",
    "Optional", "ClassLoader", "Math", "System", "Character", "Pattern", "Matcher",
)  # fmt: skip
# Of packages that are imported with an asterisk, without a counterpart.
OF_PACKAGES = {
    "java.util": (
        "ArrayDeque", "Arrays", "BitSet", "Calendar", "Collections", "Comparator", "Date", "Deque",
        "EnumMap", "EnumSet", "HashMap", "IdentityHashMap", "Iterator", "Locale", "Objects",
        "Optional", "OptionalDouble", "OptionalInt", "OptionalLong", "PriorityQueue", "Queue",
        "Scanner", "Stack", "StringJoiner", "StringTokenizer", "Timer", "TimeZone", "Vector",
    ),
    "java.util.concurrent": (
        "ArrayBlockingQueue", "BlockingQueue", "Callable", "CompletableFuture", "ConcurrentHashMap",
        "ConcurrentLinkedQueue", "CountDownLatch", "CyclicBarrier", "ExecutorService", "Executors",
        "Future", "LinkedBlockingQueue", "ScheduledExecutorService", "Semaphore",
        "ThreadLocalRandom", "TimeUnit",
    ),
    "java.util.concurrent.atomic": (
        "AtomicBoolean", "AtomicInteger", "AtomicLong", "AtomicReference", "LongAdder",
    ),
    "java.util.stream": ("Collectors", "IntStream", "LongStream", "DoubleStream", "Stream"),
    "java.time": (
        "Clock", "DayOfWeek", "LocalDate", "LocalDateTime", "LocalTime", "Month", "OffsetDateTime",
        "Period", "Year", "YearMonth", "ZoneId", "ZoneOffset", "ZonedDateTime",
    ),
    "java.time.temporal": ("ChronoField", "ChronoUnit", "TemporalAdjusters"),
    "java.time.format": ("DateTimeFormatter", "FormatStyle"),
    "java.math": ("BigDecimal", "MathContext", "RoundingMode"),
    "java.text": ("DecimalFormat", "NumberFormat", "SimpleDateFormat"),
    "java.io": (
        "BufferedReader", "BufferedWriter", "ByteArrayInputStream", "ByteArrayOutputStream",
        "DataInputStream", "DataOutputStream", "File", "FileInputStream", "FileOutputStream",
        "FileReader", "FileWriter", "InputStream", "InputStreamReader", "ObjectInputStream",
        "ObjectOutputStream", "OutputStream", "PrintStream", "PrintWriter", "StringReader",
        "StringWriter",
    ),
    "java.nio": ("ByteBuffer",),
    "java.nio.file": ("Files", "Path", "Paths"),
}  # fmt: skip
ERRORS = {
    "Exception": "Exception", "Throwable": "Exception", "RuntimeException": "RuntimeError",
    "Error": "Exception", "IOException": "OSError", "UncheckedIOException": "OSError",
    "InterruptedException": "KeyboardInterrupt", "NumberFormatException": "ValueError",
    "ParseException": "ValueError", "DateTimeParseException": "ValueError",
    "IndexOutOfBoundsException": "IndexError", "ArrayIndexOutOfBoundsException": "IndexError",
    "ArithmeticException": "ArithmeticError", "FileNotFoundException": "FileNotFoundError",
    "ExecutionException": "RuntimeError", "AssertionError": "AssertionError",
}  # fmt: skip


def name(java: str) -> str:
    """Return a name of the program, with a line below where Python needs the word itself."""
    java = java.replace("$", "_")
    if java == "_":
        return "_unused"
    if keyword.iskeyword(java) or java in ("None", "True", "False", "print_"):
        return f"{java}_"
    return f"{java}_" if java in USED or java in BUILTINS else java


def method_name(java: str, count: int | None = None) -> str:
    """Return the name of a method or an attribute: only reserved words and Object's are changed.

    With a number of arguments that Object's method has not it is another one, often a static one.
    """
    dunder = {"equals": ("__eq__", 1), "hashCode": ("__hash__", 0), "toString": ("__str__", 0)}
    java = java.replace("$", "_")
    made, takes = dunder.get(java, (f"{java}_" if keyword.iskeyword(java) else java, None))
    return java if takes is not None and count not in (None, takes) else made


def string(node: Node) -> str:
    """Return a text of Java as one of Python."""
    written = text(node)
    if written.startswith('"""'):
        return json.dumps(_text_block(written), ensure_ascii=False)
    if written.startswith("'"):
        inside = written[1:-1]
        return '"' + {"\\'": "'", '"': '\\"'}.get(inside, inside) + '"'
    return written


def _text_block(written: str) -> str:
    """Return what a text block means: without the indentation of its least indented line."""
    lines = written[3:-3].split("\n")[1:]
    # The line of the closing quotes counts, whatever it has.
    counting = [row for row in lines[:-1] if row.strip()] + lines[-1:]
    margin = min(len(row) - len(row.lstrip()) for row in counting)
    value = "\n".join(row[margin:].rstrip() for row in lines)
    signs = {"n": "\n", "t": "\t", "s": " ", "b": "\b", "r": "\r", "f": "\f", "\n": ""}

    def meant(found: re.Match[str]) -> str:
        sign = found[1]
        return chr(int(sign, 8)) if sign.isdigit() else signs.get(sign, sign)

    return re.sub(r"\\([0-7]{1,3}|.|\n)", meant, value)


def number(node: Node) -> str:
    """Return a number of Java as one of Python."""
    written = text(node)
    if node.type == "decimal_floating_point_literal":
        plain = written.rstrip("fFdD")
        plain = plain if plain[0] != "." else f"0{plain}"
        whole = plain + "0" if plain.endswith(".") else plain
        return whole if any(sign in whole for sign in ".eE") else f"{whole}.0"
    plain = written.rstrip("lL")
    if node.type == "hex_integer_literal":
        bits = 32 if plain == written else 64
        value = int(plain.replace("_", ""), 16)
        if value >> bits - 1:
            return f"-0x{(1 << bits) - value:X}"
    if node.type == "octal_integer_literal":
        digits = plain[1:].lstrip("_")
        return f"0o{digits}"
    return plain
