"""The compiled code: arrays in, filled arrays out, nothing validated.

Modules whose loops gain from it are compiled for several levels of x86-64 from the same source
(`LEVELLED`, `meson.build`); the level is chosen here, once. `DEACS_LEVEL` chooses a lower one.
"""

import os
import sys
from importlib import import_module
from types import ModuleType

from deacs._kernels import processor

__all__ = ["LEVELLED", "at_level", "levels"]

LEVELLED = ("counting", "neighbours", "order", "pairs")


def levels() -> list[str]:
    """Return the levels that this processor has, the highest last."""
    highest = processor.highest_level()
    return [f"v{level}" for level in range(2, highest + 1)] if highest else ["plain"]


def at_level(name: str, level: str) -> ModuleType:
    """Return a module as compiled for a level."""
    return import_module(f"{__name__}.{name}_{level}")


def _chosen() -> str:
    known, wanted = levels(), os.environ.get("DEACS_LEVEL", "")
    return wanted if wanted in known else known[-1]


for _name in LEVELLED:
    sys.modules[f"{__name__}.{_name}"] = at_level(_name, _chosen())
