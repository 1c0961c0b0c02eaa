"""Life cycles of group, member, task and learner in a rebalance, as state tables (KIP-429)."""

from __future__ import annotations

import enum

from millstream.testing.rebalance.tables import Rule, Table, rules


class GroupStage(enum.Enum):
    """Where a group is in its rebalances."""

    EMPTY = "empty"
    JOINING = "joining"
    ASSIGNING = "assigning"
    STABLE = "stable"
    REVOKING = "revoking"
    WAITING = "waiting"


class GroupEvent(enum.Enum):
    """What happens to a group."""

    MEMBER_JOINS = "a member joins"
    MEMBER_LEAVES = "a member says that it leaves"
    MEMBER_LOST = "a member is lost"
    LAST_MEMBER_GONE = "the last member is gone"
    LEARNER_READY = "a learner is ready"
    TIME_COMES = "the planned time comes"
    REVOKED = "members have stopped what they were to give up"
    ALL_JOINED = "all have joined"
    ASSIGNED = "assigned"
    ASSIGNED_WITH_REVOCATIONS = "assigned, some give up tasks"
    ASSIGNED_WITH_DELAY = "assigned, lost tasks reserved"


class MemberState(enum.Enum):
    """Where a member is in a rebalance."""

    OUT = "out"
    JOINING = "joining"
    STABLE = "stable"
    REVOKING = "revoking"


class MemberEvent(enum.Enum):
    """What happens to a member."""

    STARTS = "it starts"
    REBALANCE = "the group rebalances"
    LEAVE_ASKED = "it is asked to leave"
    LEARNER_READY = "a learner of its is ready"
    ASSIGNED = "assigned"
    ASSIGNED_LESS = "assigned, less than it has"
    REVOKED = "it has stopped what it was to give up"
    DRAINED = "assigned nothing more, as it leaves"
    LOST = "it is lost"


class TaskState(enum.Enum):
    """Who has a task, as the group sees it."""

    UNASSIGNED = "unassigned"
    RUNNING = "running"
    LEARNED = "being learned"
    SUSPENDED = "suspended"
    RELEASED = "released"
    LOST = "lost"


class TaskEvent(enum.Enum):
    """What happens to a task."""

    ASSIGNED = "assigned"
    LEARNER_ASSIGNED = "a learner is assigned"
    LEARNER_GONE = "the learner is gone"
    REBALANCE = "its owner joins a rebalance"
    RETURNED = "returned to its owner"
    REVOKED = "revoked"
    OWNER_LOST = "the owner is lost"


class LearnerState(enum.Enum):
    """How far a member is with a task that it is to take over."""

    ABSENT = "absent"
    RESTORING = "restoring"
    READY = "ready"
    ACTIVE = "active"


class LearnerEvent(enum.Enum):
    """What happens to a learner."""

    ASSIGNED = "assigned"
    KEPT = "assigned again"
    CAUGHT_UP = "caught up"
    FELL_BEHIND = "fell behind"
    PROMOTED = "promoted"
    WITHDRAWN = "withdrawn"
    LOST = "its member is lost"


_G, _GE = GroupStage, GroupEvent
_ANY_MEMBERS = (_G.JOINING, _G.ASSIGNING, _G.STABLE, _G.REVOKING, _G.WAITING)

GROUP: Table[GroupStage, GroupEvent] = Table(
    "group",
    GroupStage.EMPTY,
    {
        _G.EMPTY: "There is no member; no task runs.",
        _G.JOINING: "Members send what they have, and continue to run it.",
        _G.ASSIGNING: "All have sent it; the leader decides.",
        _G.STABLE: "All members have what was assigned.",
        _G.REVOKING: "The first of two rebalances is over: some members stop tasks that others "
        "are to have.",
        _G.WAITING: "Tasks of a lost member are reserved for it, until a planned time.",
    },
    [
        Rule(_G.EMPTY, _GE.MEMBER_JOINS, _G.JOINING, "make it the leader"),
        *rules(_ANY_MEMBERS, _GE.MEMBER_JOINS, _G.JOINING, "ask all members to join"),
        *rules(_ANY_MEMBERS, _GE.MEMBER_LEAVES, _G.JOINING, "ask all members to join"),
        *rules(
            _ANY_MEMBERS,
            _GE.MEMBER_LOST,
            _G.JOINING,
            "if it led, the longest member leads; ask all members to join",
        ),
        *rules(_ANY_MEMBERS, _GE.LAST_MEMBER_GONE, _G.EMPTY, "forget what was planned"),
        *rules(_ANY_MEMBERS, _GE.LEARNER_READY, _G.JOINING, "ask all members to join"),
        *rules(_ANY_MEMBERS, _GE.TIME_COMES, _G.JOINING, "ask all members to join"),
        Rule(_G.REVOKING, _GE.REVOKED, _G.JOINING, "the second rebalance begins"),
        Rule(_G.JOINING, _GE.ALL_JOINED, _G.ASSIGNING, "give the leader all subscriptions"),
        Rule(_G.ASSIGNING, _GE.ASSIGNED, _G.STABLE, "send all members their shares"),
        Rule(
            _G.ASSIGNING,
            _GE.ASSIGNED_WITH_REVOCATIONS,
            _G.REVOKING,
            "send shares; what is to be revoked is in none",
        ),
        Rule(
            _G.ASSIGNING,
            _GE.ASSIGNED_WITH_DELAY,
            _G.WAITING,
            "send shares without the lost tasks, and the time to rejoin",
        ),
    ],
)

_M, _ME = MemberState, MemberEvent
_MEMBER = (_M.JOINING, _M.STABLE, _M.REVOKING)

MEMBER: Table[MemberState, MemberEvent] = Table(
    "member",
    MemberState.OUT,
    {
        _M.OUT: "Not a member; its state may still be on its disk.",
        _M.JOINING: "Has said what it has; waits for its share and runs on.",
        _M.STABLE: "Runs its share.",
        _M.REVOKING: "Runs its share, and stops the tasks that are not in it any more.",
    },
    [
        Rule(_M.OUT, _ME.STARTS, _M.JOINING, "join with no tasks and the copies on its disk"),
        Rule(
            _M.STABLE,
            _ME.REBALANCE,
            _M.JOINING,
            "suspend the tasks that others learn, keep the rest running, join with both",
        ),
        Rule(_M.JOINING, _ME.REBALANCE, _M.JOINING, "join again with the same"),
        Rule(_M.REVOKING, _ME.REBALANCE, _M.JOINING, "stop them, join with the rest"),
        Rule(_M.REVOKING, _ME.REVOKED, _M.JOINING, "join again at once with the rest"),
        *rules(_MEMBER, _ME.LEAVE_ASKED, _M.JOINING, "join and say that it leaves"),
        *rules(_MEMBER, _ME.LEARNER_READY, _M.JOINING, "join and say which learner is ready"),
        Rule(_M.JOINING, _ME.ASSIGNED, _M.STABLE, "start new tasks, continue the others"),
        Rule(_M.JOINING, _ME.ASSIGNED_LESS, _M.REVOKING, "continue what is in its share"),
        Rule(_M.JOINING, _ME.DRAINED, _M.OUT, "shut down"),
        *rules(_MEMBER, _ME.LOST, _M.OUT, "its tasks have no owner"),
    ],
)

_T, _TE = TaskState, TaskEvent

TASK: Table[TaskState, TaskEvent] = Table(
    "task",
    TaskState.UNASSIGNED,
    {
        _T.UNASSIGNED: "Has had no owner yet.",
        _T.RUNNING: "Its owner runs it.",
        _T.LEARNED: "Its owner runs it, another member learns it.",
        _T.SUSPENDED: "Stopped for the time of a rebalance; its owner can continue at once.",
        _T.RELEASED: "Its last owner has stopped it, so that another may have it.",
        _T.LOST: "Its owner is lost.",
    },
    [
        *rules(
            (_T.UNASSIGNED, _T.RELEASED, _T.LOST),
            _TE.ASSIGNED,
            _T.RUNNING,
            "the new owner restores what it lacks, and runs it",
        ),
        Rule(_T.RUNNING, _TE.LEARNER_ASSIGNED, _T.LEARNED, "tell the owner"),
        Rule(_T.LEARNED, _TE.LEARNER_GONE, _T.RUNNING, "tell the owner"),
        *rules((_T.RUNNING, _T.LEARNED), _TE.REVOKED, _T.RELEASED, "the owner commits and closes"),
        Rule(_T.RUNNING, _TE.REBALANCE, _T.SUSPENDED, "eager: the owner commits and stops"),
        Rule(_T.LEARNED, _TE.REBALANCE, _T.SUSPENDED, "the owner commits and stops"),
        Rule(_T.SUSPENDED, _TE.RETURNED, _T.RUNNING, "the owner continues"),
        Rule(_T.SUSPENDED, _TE.REVOKED, _T.RELEASED, "the owner closes"),
        *rules(
            (_T.RUNNING, _T.LEARNED, _T.SUSPENDED), _TE.OWNER_LOST, _T.LOST, "no member runs it"
        ),
    ],
)

_L, _LE = LearnerState, LearnerEvent

LEARNER: Table[LearnerState, LearnerEvent] = Table(
    "learner",
    LearnerState.ABSENT,
    {
        _L.ABSENT: "The member does not learn the task; it may have an old copy.",
        _L.RESTORING: "It reads the changelog, as a standby does.",
        _L.READY: "It is no more than the acceptable lag behind.",
        _L.ACTIVE: "The member owns the task.",
    },
    [
        Rule(_L.ABSENT, _LE.ASSIGNED, _L.RESTORING, "begin from the copy it has, if any"),
        Rule(_L.RESTORING, _LE.KEPT, _L.RESTORING, "continue"),
        Rule(_L.READY, _LE.KEPT, _L.READY, "continue to follow"),
        Rule(_L.RESTORING, _LE.CAUGHT_UP, _L.READY, "join the group, to call out a rebalance"),
        Rule(_L.READY, _LE.FELL_BEHIND, _L.RESTORING, "continue"),
        Rule(_L.READY, _LE.PROMOTED, _L.ACTIVE, "run the task"),
        Rule(
            _L.RESTORING,
            _LE.PROMOTED,
            _L.ACTIVE,
            "the task has no owner: restore the rest, then run it",
        ),
        *rules((_L.RESTORING, _L.READY), _LE.WITHDRAWN, _L.ABSENT, "keep the copy on disk"),
        *rules((_L.RESTORING, _L.READY), _LE.LOST, _L.ABSENT, "the copy stays on its disk"),
    ],
)

TABLES = (GROUP, MEMBER, TASK, LEARNER)
