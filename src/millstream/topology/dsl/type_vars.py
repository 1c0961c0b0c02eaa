"""Type variables of the DSL's classes and methods."""

from __future__ import annotations

from typing import Any

from typing_extensions import TypeVar

A = TypeVar("A")
K = TypeVar("K")
K2 = TypeVar("K2")
KG = TypeVar("KG")
KO = TypeVar("KO")
KR = TypeVar("KR")
R = TypeVar("R")
S = TypeVar("S")
TK = TypeVar("TK")
V = TypeVar("V")
V1 = TypeVar("V1")
V2 = TypeVar("V2")
VO = TypeVar("VO")
VR = TypeVar("VR")

# A static method's own: the class's are unknown to a type checker there.
# What the arguments, such as a serde of None, do not tell is Any, and asks for no annotation.
K_ = TypeVar("K_", default=Any)
KO_ = TypeVar("KO_", default=Any)
V1_ = TypeVar("V1_", default=Any)
V2_ = TypeVar("V2_", default=Any)
V_ = TypeVar("V_", default=Any)
