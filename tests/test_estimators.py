"""scikit-learn's full estimator checks, for every estimator, none excused."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from deacs import DEACS, MDLP


# The checks feed constant and noise columns, from which nothing may be selected.
@pytest.mark.filterwarnings("ignore:No features were selected")
@pytest.mark.filterwarnings("ignore::deacs.exceptions.IdentifierWarning")
@parametrize_with_checks([DEACS(), DEACS(n_jobs=2, judge="sum"), MDLP()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
