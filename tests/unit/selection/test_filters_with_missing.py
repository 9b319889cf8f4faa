"""With `missing="ignore"` every term counts the rows in which its variables are present."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from deacs import (
    CIFE,
    CMI,
    CMIM,
    DISR,
    ICAP,
    JMI,
    JMIM,
    MIFS,
    MIFSU,
    MIM,
    MRMR,
    NJMIM,
    BetaGamma,
    encode,
)
from tests.each import each
from tests.naive import filters as naive_filters
from tests.naive.filters import greedy, same_path
from tests.tables_of_codes import coded_tables

TWINS = {
    "MIM": (MIM(), naive_filters.mim),
    "MIFS": (MIFS(), naive_filters.mifs(1)),
    "MIFSU": (MIFSU(), naive_filters.mifsu(1)),
    "MRMR": (MRMR(), naive_filters.mrmr),
    "JMI": (JMI(), naive_filters.jmi),
    "JMIM": (JMIM(), naive_filters.jmim),
    "NJMIM": (NJMIM(), naive_filters.njmim),
    "DISR": (DISR(), naive_filters.disr),
    "CMIM": (CMIM(), naive_filters.cmim),
    "ICAP": (ICAP(), naive_filters.icap),
    "CIFE": (CIFE(), naive_filters.cife),
    "BetaGamma": (BetaGamma(beta=0.5), naive_filters.beta_gamma(1, 0.5, "mean")),
}


@st.composite
def tables_with_holes(draw):
    """Columns in which None is a missing value; two rows and one column are complete."""
    columns, y = draw(coded_tables(max_features=5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    share = draw(st.sampled_from([0.1, 0.4]))
    holes = rng.random((len(columns), len(y))) < share
    holes[:, :2] = False
    holes[0] = False
    return [
        [None if hole else value for value, hole in zip(x, row, strict=True)]
        for x, row in zip(columns, holes, strict=True)
    ], y


def with_missing_ignored(columns, y):
    X = np.array(columns, dtype=object).T
    return encode(X, y, discrete_features=True, missing="ignore")


@pytest.mark.filterwarnings("ignore::deacs.exceptions.IdentifierWarning")
@pytest.mark.parametrize("name", TWINS)
@given(table=tables_with_holes())
def test_ranking_equals_the_naive_twin_on_the_rows_that_are_present(name, table):
    method, twin = TWINS[name]
    selector = clone(method).fit(with_missing_ignored(*table))
    same_path(selector, greedy(twin, *table))


@pytest.mark.filterwarnings("ignore::deacs.exceptions.IdentifierWarning")
@given(tables_with_holes())
def test_cmi_equals_its_naive_twin_on_the_rows_that_are_present(table):
    selector = CMI().fit(with_missing_ignored(*table))
    same_path(selector, greedy(naive_filters.cmi, *table, ends_at_zero=True))


@each("name", TWINS)
def test_a_column_that_is_missing_everywhere_tells_nothing(name):
    y = [0, 1, 1, 0] * 4
    data = with_missing_ignored([[None] * 16, y, [0, 0, 1, 1] * 4], y)
    method, twin = TWINS[name]
    same_path(clone(method).fit(data), greedy(twin, [[None] * 16, y, [0, 0, 1, 1] * 4], y))
