"""Windows of event time."""

from millstream.core.windows.by_events import SessionWindows as SessionWindows
from millstream.core.windows.by_events import SlidingWindows as SlidingWindows
from millstream.core.windows.definitions import TimeWindows as TimeWindows
from millstream.core.windows.definitions import UnlimitedWindows as UnlimitedWindows
from millstream.core.windows.definitions import Windows as Windows
from millstream.core.windows.emit import EmitStrategy as EmitStrategy
from millstream.core.windows.emit import StrategyType as StrategyType
from millstream.core.windows.join_windows import JoinWindows as JoinWindows
from millstream.core.windows.window import SessionWindow as SessionWindow
from millstream.core.windows.window import TimeWindow as TimeWindow
from millstream.core.windows.window import UnlimitedWindow as UnlimitedWindow
from millstream.core.windows.window import Window as Window
from millstream.core.windows.window import Windowed as Windowed
