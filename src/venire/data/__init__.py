"""What we were given: reading, kinds of columns, encoding, data sets and generators."""

from venire.data.read import read_table
from venire.data.table import Column, Kind, LeftOut, Note, Reading, Table, Target, Task

__all__ = ["Column", "Kind", "LeftOut", "Note", "Reading", "Table", "Target", "Task", "read_table"]
