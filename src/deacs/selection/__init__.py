"""Feature selectors: every one a scikit-learn estimator."""

from typing import TYPE_CHECKING

from deacs._lazy import lazy_names
from deacs.selection._dea_cs import dea_cs
from deacs.selection._engine import Engine, LocalEngine
from deacs.selection._loop import CandidateTable, Path

if TYPE_CHECKING:
    from deacs.selection.deacs import DEACS

__all__ = ["DEACS", "CandidateTable", "Engine", "LocalEngine", "Path", "dea_cs"]

__getattr__, __dir__ = lazy_names(__name__, {"DEACS": "deacs.selection.deacs"})
