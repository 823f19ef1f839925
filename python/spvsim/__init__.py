"""Runs and sweeps of spvsim, and their results as dictionaries, frames and pictures.

The command ``spvsim`` has to be in PATH; the variable SPVSIM names another one. Nothing else is needed. With pandas, polars or
pyarrow installed, rows become frames and Parquet files are read.
"""

from ._command import SimulatorError, command, version
from ._results import Figure, Report, Rows, Run, Sweep, plot, read_listing, read_profile, read_rows, read_statistics, run, schema, sweep
from ._trace import Event, Trace, Track, read_trace

__version__ = "0.1.0"
__all__ = [
    "Event", "Figure", "Report", "Rows", "Run", "SimulatorError", "Sweep", "Trace", "Track", "command", "plot", "read_listing",
    "read_profile", "read_rows", "read_statistics", "read_trace", "run", "schema", "sweep", "version",
]
