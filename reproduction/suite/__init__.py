"""The study of selectors on real tables: nested folds, five classifiers, 5 to 50 features.

>>> from reproduction.suite import evaluate, folds, load_table, tables  # doctest: +SKIP

A ranking of columns, made on the training rows of a fold, is all that a method gives; `evaluate`
classifies with its first 5, 10, 20, 30 and 50 columns. What has been classified once is kept
(see `records`), so a method that selects as another one did costs nothing.
"""

from reproduction.suite.evaluation import evaluate, problem
from reproduction.suite.methods import METHODS, Method, of_selector
from reproduction.suite.tables import facts, folds, load_table, tables

__all__ = [
    "METHODS",
    "Method",
    "evaluate",
    "facts",
    "folds",
    "load_table",
    "of_selector",
    "problem",
    "tables",
]
