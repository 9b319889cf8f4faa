"""Pick the features that tell classes apart, and say which class each feature serves.

Names are loaded when they are first used, so that `import deacs` is fast.
"""

from typing import TYPE_CHECKING

from deacs._lazy import lazy_names
from deacs._version import __version__
from deacs.selection import OPTIONS, SELECTORS

if TYPE_CHECKING:
    from deacs import (
        coding,
        dea,
        exceptions,
        information,
        interchange,
        report,
        selection,
        tables,
    )
    from deacs.coding import CodedData
    from deacs.coding.transformers import MDLP, EqualFrequency, EqualWidth
    from deacs.rows.encode import encode
    from deacs.selection import *  # noqa: F403
    from deacs.selection import OneHotCodes, Rules, find_interactions
    from deacs.tables.files import read_table

__all__ = [
    "MDLP",
    "CodedData",
    "EqualFrequency",
    "EqualWidth",
    "OneHotCodes",
    "Rules",
    "__version__",
    "coding",
    "dea",
    "encode",
    "exceptions",
    "find_interactions",
    "information",
    "interchange",
    "read_table",
    "report",
    "selection",
    "tables",
]
__all__ += SELECTORS
__all__ += OPTIONS

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        **SELECTORS,
        **OPTIONS,
        "CodedData": "deacs.coding",
        "EqualFrequency": "deacs.coding.transformers",
        "EqualWidth": "deacs.coding.transformers",
        "MDLP": "deacs.coding.transformers",
        "OneHotCodes": "deacs.selection",
        "Rules": "deacs.selection",
        "encode": "deacs.rows.encode",
        "find_interactions": "deacs.selection",
        "read_table": "deacs.tables.files",
        "coding": "deacs.coding",
        "dea": "deacs.dea",
        "exceptions": "deacs.exceptions",
        "information": "deacs.information",
        "interchange": "deacs.interchange",
        "report": "deacs.report",
        "selection": "deacs.selection",
        "tables": "deacs.tables",
    },
)
