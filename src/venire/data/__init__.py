"""What we were given: reading, kinds of columns, encoding, data sets and generators."""

from venire.data.conform import Conformed, conform
from venire.data.read import read_table
from venire.data.show import describe
from venire.data.table import Column, Kind, LeftOut, Note, Reading, Table, Target, Task

__all__ = [
    "Column",
    "Conformed",
    "Kind",
    "LeftOut",
    "Note",
    "Reading",
    "Table",
    "Target",
    "Task",
    "conform",
    "describe",
    "read_table",
]
