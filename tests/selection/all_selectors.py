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
        parameters["criterion"] = _Relevance()
    return getattr(deacs, name)(**parameters)


class _Relevance:
    """A function with a name that is the same in every process, for the names of tests."""

    def __call__(self, terms):
        return terms.relevance

    def __repr__(self):
        return "relevance"
