"""Versions of the metadata, and reserved numbers."""

from __future__ import annotations

LATEST_VERSION = 11
UNKNOWN_VERSION = -1
# From here on a member may send a version that the leader does not know, and is answered.
EARLIEST_PROBEABLE_VERSION = 3

FIRST_WITH_ENDPOINT = 2
FIRST_WITH_SUPPORTED_VERSION = 3
FIRST_WITH_ERROR_CODE = 4
FIRST_WITH_TOPIC_DICTIONARY = 5
FIRST_WITH_STANDBY_HOSTS = 6
FIRST_WITH_NEXT_REBALANCE = 7
FIRST_WITH_OFFSET_SUMS = 7
FIRST_WITH_UNIQUE_FIELD = 8
FIRST_WITH_MEMBER_ERROR = 9
FIRST_WITH_TOPOLOGY_NAME = 10
FIRST_WITH_CLIENT_TAGS = 11

# In place of a sum of offsets: the task runs as active; a standby of which nothing more is known.
LATEST_OFFSET = -2
UNKNOWN_OFFSET_SUM = -3

NO_REBALANCE_PLANNED = 2**63 - 1
