"""Every selector, ready to be tried on small tables."""

import deacs
from deacs.selection import SELECTORS
from deacs.selection._coded import CodedSelector

ALL = sorted(SELECTORS)
CODED = [name for name in ALL if issubclass(getattr(deacs, name), CodedSelector)]
"""Those that work on codes: they take weights, groups, discretisers and missing values as asked."""

WRAPPERS = {
    "DEACSCV": ({"cv": 3, "rule": "best"}, ("include", "n_features_to_select")),
    "SelectorCV": ({"cv": 3, "rule": "best"}, ("include",)),
    "StabilitySelection": ({"n_resamples": 6, "random_state": 0}, ("include",)),
}
"""Those around another selector: their own parameters, and those that the other one takes."""


def quick(name, **parameters):
    """A selector that selects a few features fast."""
    if name == "OwnCriterion":
        parameters["criterion"] = _Relevance()
    if name == "MarkovBlanket":
        parameters = {"n_permutations": 100, "random_state": 0, **parameters}
    if name in WRAPPERS:
        own, taken = WRAPPERS[name]
        inner = {key: parameters.pop(key) for key in taken if key in parameters}
        selector = deacs.DEACS.published(**inner)
        inside = {"selector": selector}
        if name == "SelectorCV":
            inside = {"selectors": [selector, deacs.MRMR(**inner)]}
        parameters = {**inside, **own, **parameters}
    return getattr(deacs, name)(**parameters)


class _Relevance:
    """A function with a name that is the same in every process, for the names of tests."""

    def __call__(self, terms):
        return terms.relevance

    def __repr__(self):
        return "relevance"
