"""Options of the operators: names, serdes, stores, windows' results."""

from millstream.topology.options.auto_offset_reset import AutoOffsetReset as AutoOffsetReset
from millstream.topology.options.branched import Branched as Branched
from millstream.topology.options.consumed import Consumed as Consumed
from millstream.topology.options.deduplicated import Deduplicated as Deduplicated
from millstream.topology.options.grouped import Grouped as Grouped
from millstream.topology.options.joined import Joined as Joined
from millstream.topology.options.joined import StreamJoined as StreamJoined
from millstream.topology.options.joined import TableJoined as TableJoined
from millstream.topology.options.materialized import Materialized as Materialized
from millstream.topology.options.named import Named as Named
from millstream.topology.options.named import NamedOperation as NamedOperation
from millstream.topology.options.printed import Printed as Printed
from millstream.topology.options.produced import Produced as Produced
from millstream.topology.options.repartitioned import Repartitioned as Repartitioned
from millstream.topology.options.suppressed import BufferConfig as BufferConfig
from millstream.topology.options.suppressed import EagerBufferConfig as EagerBufferConfig
from millstream.topology.options.suppressed import StrictBufferConfig as StrictBufferConfig
from millstream.topology.options.suppressed import Suppressed as Suppressed
