"""scikit-learn's estimator checks: all for every way to behave, what a class adds for each."""

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import check_estimator, estimator_checks_generator

import deacs
from deacs import DEACS, JMI, MIM, MRMR, OneHotCodes
from deacs.coding.transformers import __all__ as TRANSFORMERS
from deacs.exceptions import InputError
from tests.contract.all_selectors import ALL, quick

# One of those that share their `fit`, and all that have their own.
WAYS = (
    "CFS", "CMIM", "DEACS", "DEACSCV", "DEASelector", "FCBF", "JMI", "MIM", "MarkovBlanket",
    "OwnCriterion", "RReliefF", "RedundancyGroups", "ReliefF", "SelectorCV", "StabilitySelection",
)  # fmt: skip
CHECKED = [
    *(quick(name) for name in WAYS if name in ALL),
    DEACS.published(n_jobs=2, judge="sum"),
    OneHotCodes(),
    deacs.MDLP(),
]
OTHERS = [
    *(quick(name) for name in ALL if name not in WAYS),
    *(getattr(deacs, name)() for name in TRANSFORMERS),
]
OWN = {
    "check_do_not_raise_errors_in_init_or_set_param",
    "check_estimator_cloneable",
    "check_estimator_repr",
    "check_estimator_tags_renamed",
    "check_estimators_fit_returns_self",
    "check_estimators_pickle",
    "check_f_contiguous_array_estimator",
    "check_fit_check_is_fitted",
    "check_get_params_invariance",
    "check_mixin_order",
    "check_no_attributes_set_in_init",
    "check_parameters_default_constructible",
    "check_set_params",
    "check_transformer_general",
    "check_valid_tag_types",
}

# The checks feed constant and noise columns, from which nothing may be selected.
pytestmark = [
    pytest.mark.filterwarnings("ignore:No features were selected"),
    pytest.mark.filterwarnings("ignore::deacs.exceptions.IdentifierWarning"),
    pytest.mark.filterwarnings("ignore::deacs.exceptions.DiscriminationWarning"),
]


def name_of(estimator):
    return type(estimator).__name__


@pytest.mark.parametrize("estimator", CHECKED, ids=name_of)
def test_scikit_learn_checks(estimator):
    check_estimator(estimator, on_skip=None)


@pytest.mark.parametrize("estimator", OTHERS, ids=name_of)
def test_scikit_learn_checks_what_a_class_adds(estimator):
    for same, check in estimator_checks_generator(estimator):
        if check.func.__name__ in OWN:
            check(same)


def test_parameters_are_checked_unless_scikit_learn_was_told_not_to():
    X, y = np.array([[0, 1], [1, 1], [0, 0], [1, 0]]), [0, 1, 0, 1]
    assert MIM(np.int64(1), discrete_features=np.True_).fit(X, y).ranking_.tolist() == [0]
    for wrong in ({"sum_labels": "yes"}, {"n_jobs": 1.5}, {"discrete_features": 3}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            MIM(1, **wrong).fit(X, y)
    with config_context(skip_parameter_validation=True):
        assert MIM(1, sum_labels=0).fit(X, y).ranking_.tolist() == [0]


def _table(n_columns, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, 40)
    X = rng.integers(0, 3, (40, n_columns))
    X[:, 0] = y
    X[:, 1] = (y > 0) ^ (rng.random(40) < 0.1)
    return pd.DataFrame(X, columns=[f"c{seed}_{j}" for j in range(n_columns)]).astype(float), y


def _is_as_before(estimator, before):
    now = vars(estimator)
    return list(now) == list(before) and all(now[name] is before[name] for name in before)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("is_fitted", [False, True], ids=["fresh", "fitted"])
@pytest.mark.parametrize("estimator", [*CHECKED, *OTHERS], ids=name_of)
def test_a_fit_that_is_interrupted_leaves_the_estimator_as_it_was(
    estimator, is_fitted, monkeypatch
):
    """It is interrupted after its first, its second, a middle and its last attribute."""
    estimator = clone(estimator)
    if is_fitted:
        estimator.fit(*_table(4, 0))
    before, assign, assigned, stop_at = dict(vars(estimator)), object.__setattr__, [], -1

    def interrupted(self, name, value):
        assign(self, name, value)
        if self is watched:
            assigned.append(name)
            if len(assigned) == stop_at:
                raise KeyboardInterrupt

    watched = clone(estimator)
    monkeypatch.setattr(type(estimator), "__setattr__", interrupted, raising=False)
    watched.fit(*_table(3, 1))
    n_assigned, watched = len(assigned), estimator
    for stop_at in sorted({1, 2, n_assigned // 2, n_assigned}):  # noqa: B007  (in `interrupted`)
        assigned.clear()
        with pytest.raises(KeyboardInterrupt):
            estimator.fit(*_table(3, 1))
        assert assigned
        assert _is_as_before(estimator, before)


def test_a_refit_that_fails_late_leaves_the_names_and_the_ranking_together():
    X, y = _table(4, 0)
    for selector in (DEACS(2), JMI(2), MRMR(2)):
        selector.fit(X, y)
        names, frame = selector.selected_names_, selector.to_frame()
        with pytest.raises(InputError, match="typo"):
            selector.set_params(include=["typo"]).fit(X[X.columns[::-1]], y)
        assert selector.selected_names_ == names
        assert selector.to_frame().equals(frame)
        assert selector.feature_names_in_.tolist() == X.columns.tolist()
        with pytest.raises(InputError, match="typo"):
            (fresh := clone(selector)).fit(X, y)
        with pytest.raises(NotFittedError):
            fresh.get_support()


def test_an_interruption_by_a_report_of_progress_leaves_the_fit_of_before():
    X, y = _table(4, 0)
    selector = DEACS(2).fit(X, y)

    def stop(step, name):
        raise KeyboardInterrupt

    before = dict(vars(selector.set_progress(stop)))
    with pytest.raises(KeyboardInterrupt):
        selector.fit(X[X.columns[::-1]], y)
    assert _is_as_before(selector, before)
