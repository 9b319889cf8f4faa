"""scikit-learn's full estimator checks, for every estimator, none excused."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import deacs
from deacs import DEACS
from deacs.discretize import TRANSFORMERS
from tests.selection.all_selectors import ALL, quick

DISCRETIZERS = [getattr(deacs, name)() for name in TRANSFORMERS]
SELECTORS = [quick(name) for name in ALL]


# The checks feed constant and noise columns, from which nothing may be selected.
@pytest.mark.filterwarnings("ignore:No features were selected")
@pytest.mark.filterwarnings("ignore::deacs.exceptions.IdentifierWarning")
@pytest.mark.filterwarnings("ignore::deacs.exceptions.DiscriminationWarning")
@parametrize_with_checks([*SELECTORS, DEACS.published(n_jobs=2, judge="sum"), *DISCRETIZERS])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
