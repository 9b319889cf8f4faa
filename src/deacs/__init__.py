"""Pick the features that tell classes apart, and say which class each feature serves.

Names are loaded when they are first used, so that `import deacs` costs next to nothing.
"""

from typing import TYPE_CHECKING

from deacs._lazy import lazy_names

if TYPE_CHECKING:
    from deacs import coding, dea, discretize, exceptions, information, selection, tables
    from deacs.coding import CodedData, encode
    from deacs.discretize import MDLP
    from deacs.selection import DEACS

__version__ = "0.1.0"

__all__ = [
    "DEACS",
    "MDLP",
    "CodedData",
    "__version__",
    "coding",
    "dea",
    "discretize",
    "encode",
    "exceptions",
    "information",
    "selection",
    "tables",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "DEACS": "deacs.selection.deacs",
        "MDLP": "deacs.discretize.mdlp",
        "CodedData": "deacs.coding",
        "encode": "deacs.coding",
        "coding": "deacs.coding",
        "dea": "deacs.dea",
        "discretize": "deacs.discretize",
        "exceptions": "deacs.exceptions",
        "information": "deacs.information",
        "selection": "deacs.selection",
        "tables": "deacs.tables",
    },
)
