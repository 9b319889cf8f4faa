"""scikit-learn's full estimator checks, for every estimator, none excused."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.utils.estimator_checks import parametrize_with_checks

import deacs
from deacs import DEACS, MIM
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


def test_parameters_are_checked_unless_scikit_learn_was_told_not_to():
    X, y = np.array([[0, 1], [1, 1], [0, 0], [1, 0]]), [0, 1, 0, 1]
    assert MIM(np.int64(1), discrete_features=np.True_).fit(X, y).ranking_.tolist() == [0]
    for wrong in ({"sum_labels": "yes"}, {"n_jobs": 1.5}, {"discrete_features": 3}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            MIM(1, **wrong).fit(X, y)
    with config_context(skip_parameter_validation=True):
        assert MIM(1, sum_labels=0).fit(X, y).ranking_.tolist() == [0]
