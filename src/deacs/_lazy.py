"""Lazy imports: names imported on first use.

Importing scikit-learn takes a second or more, so only what needs an estimator pays for it.
"""

import sys
from collections.abc import Callable, Mapping
from typing import Any

from deacs._extras import import_needing_extras

__all__ = ["lazy_names"]


def lazy_names(
    package: str, homes: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` for a package whose names live in the given modules.

    A name whose home ends with that name is the module itself.
    """

    def __getattr__(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_needing_extras(homes[name], f"{package}.{name}")
        value = module if homes[name] == f"{package}.{name}" else getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    def __dir__() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes})

    return __getattr__, __dir__
