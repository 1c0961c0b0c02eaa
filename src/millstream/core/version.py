"""Version of the installed package, as ``millstream.__version__``."""

from importlib.metadata import version

__version__ = version("millstream")
