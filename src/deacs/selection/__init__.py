"""Feature selectors: every one a scikit-learn estimator."""

from deacs.selection._engine import Engine, LocalEngine
from deacs.selection._loop import CandidateTable
from deacs.selection.deacs import DEACS

__all__ = ["DEACS", "CandidateTable", "Engine", "LocalEngine"]
