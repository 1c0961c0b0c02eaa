"""What the packages do not have is no name to a type checker; checked, never run."""

from __future__ import annotations

import millstream
from millstream import StreamBuilder  # type: ignore[attr-defined] # pyright: ignore
from millstream.serdes import AvroSerdes  # type: ignore[attr-defined] # pyright: ignore

print(StreamBuilder, AvroSerdes)
print(millstream.Transformer)  # type: ignore[attr-defined] # pyright: ignore
