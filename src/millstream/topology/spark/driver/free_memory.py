"""Memory that this machine or container can still give."""

from __future__ import annotations

from pathlib import Path

_MACHINE = Path("/proc/meminfo")
_CONTAINERS = (
    # cgroups, version 2 and 1, as a container sees its own.
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    (
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/memory.usage_in_bytes",
    ),
)


def free_memory() -> int | None:
    """Return the bytes that programs can still take before one is killed; None if not known.

    Of a container the files that it has read count as taken, although they could be given up: the
    answer is too small rather than too large.
    """
    found = [_of_machine(), *(_of_container(Path(most), Path(now)) for most, now in _CONTAINERS)]
    return min((each for each in found if each is not None), default=None)


def _of_machine() -> int | None:
    try:
        for line in _MACHINE.read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) << 10
    except (OSError, ValueError, IndexError):
        pass
    return None


def _of_container(most: Path, now: Path) -> int | None:
    try:
        # Without a limit the first one says "max".
        return int(most.read_text()) - int(now.read_text())
    except (OSError, ValueError):
        return None
