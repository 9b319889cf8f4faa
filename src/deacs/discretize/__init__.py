"""Continuous columns to few intervals, as scikit-learn transformers."""

from typing import TYPE_CHECKING

from deacs._lazy import lazy_names

if TYPE_CHECKING:
    from deacs.discretize.mdlp import MDLP

__all__ = ["MDLP"]

__getattr__, __dir__ = lazy_names(__name__, {"MDLP": "deacs.discretize.mdlp"})
