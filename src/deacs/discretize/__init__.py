"""Discretizers: scikit-learn transformers that cut continuous columns into intervals."""

from typing import TYPE_CHECKING

from deacs._lazy import lazy_names
from deacs.discretize.registry import DISCRETIZERS, Discretizer, register_discretizer

if TYPE_CHECKING:
    from deacs.discretize.equal_frequency import EqualFrequency
    from deacs.discretize.equal_width import EqualWidth
    from deacs.discretize.mdlp import MDLP

TRANSFORMERS = {
    "EqualFrequency": "deacs.discretize.equal_frequency",
    "EqualWidth": "deacs.discretize.equal_width",
    "MDLP": "deacs.discretize.mdlp",
}
"""Every discretiser and its module."""

__all__ = [
    "DISCRETIZERS",
    "MDLP",
    "TRANSFORMERS",
    "Discretizer",
    "EqualFrequency",
    "EqualWidth",
    "register_discretizer",
]

__getattr__, __dir__ = lazy_names(__name__, TRANSFORMERS)
