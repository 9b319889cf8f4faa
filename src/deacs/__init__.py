"""Pick the features that tell classes apart, and say which class each feature serves.

Names are loaded when they are first used, so that `import deacs` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deacs.coding import CodedData, encode
    from deacs.discretize import MDLP
    from deacs.selection import DEACS

__version__ = "0.1.0"

__all__ = ["DEACS", "MDLP", "CodedData", "__version__", "encode"]

_HOMES = {
    "DEACS": "deacs.selection",
    "MDLP": "deacs.discretize",
    "CodedData": "deacs.coding",
    "encode": "deacs.coding",
}
_PACKAGES = ("coding", "dea", "discretize", "exceptions", "information", "selection", "tables")


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    elif name in _PACKAGES:
        value = import_module(f"deacs.{name}")
    else:
        raise AttributeError(f"module 'deacs' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_PACKAGES})
