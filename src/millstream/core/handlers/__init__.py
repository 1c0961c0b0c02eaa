"""Exception handlers for failing serdes, operators and producers."""

from millstream.core.handlers.answers import checked_answer as checked_answer
from millstream.core.handlers.context import AnyResponse as AnyResponse
from millstream.core.handlers.context import ErrorHandlerContext as ErrorHandlerContext
from millstream.core.handlers.dead_letters import dead_letter_records as dead_letter_records
from millstream.core.handlers.interfaces import (
    DeserializationExceptionHandler as DeserializationExceptionHandler,
)
from millstream.core.handlers.interfaces import (
    ProcessingExceptionHandler as ProcessingExceptionHandler,
)
from millstream.core.handlers.interfaces import (
    ProductionExceptionHandler as ProductionExceptionHandler,
)
from millstream.core.handlers.interfaces import (
    SerializationExceptionOrigin as SerializationExceptionOrigin,
)
from millstream.core.handlers.interfaces import (
    StreamsUncaughtExceptionHandler as StreamsUncaughtExceptionHandler,
)
from millstream.core.handlers.interfaces import (
    StreamThreadExceptionResponse as StreamThreadExceptionResponse,
)
from millstream.core.handlers.stock import (
    DefaultProductionExceptionHandler as DefaultProductionExceptionHandler,
)
from millstream.core.handlers.stock import (
    LogAndContinueExceptionHandler as LogAndContinueExceptionHandler,
)
from millstream.core.handlers.stock import (
    LogAndContinueProcessingExceptionHandler as LogAndContinueProcessingExceptionHandler,
)
from millstream.core.handlers.stock import (
    LogAndFailExceptionHandler as LogAndFailExceptionHandler,
)
from millstream.core.handlers.stock import (
    LogAndFailProcessingExceptionHandler as LogAndFailProcessingExceptionHandler,
)
