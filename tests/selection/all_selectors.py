"""Every selector, ready to be tried on small tables."""

import deacs
from deacs.selection import SELECTORS
from deacs.selection._coded import CodedSelector

ALL = sorted(SELECTORS)
CODED = [name for name in ALL if issubclass(getattr(deacs, name), CodedSelector)]
"""Those that work on codes: they take weights, groups, discretisers and missing values as asked."""


def quick(name, **parameters):
    """A selector that selects a few features fast."""
    if name == "OwnCriterion":
        parameters["criterion"] = _relevance
    return getattr(deacs, name)(**parameters)


def _relevance(terms):
    return terms.relevance
