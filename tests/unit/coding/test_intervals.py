"""Names of intervals: short, no two alike, and true."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deacs.coding import FeatureCoding
from deacs.coding.cuts import interval_labels


@pytest.mark.parametrize(
    ("cuts", "ends"),
    [
        ([], []),
        ([2.5, 7.1], ["2.5", "7.1"]),
        ([2.4499999999999997], ["2.45"]),
        ([1600000000.0, 1600000001.0], ["1600000000", "1600000001"]),
        ([1600043200.0], ["1600043200"]),
        ([1600043200123.5], ["1600043200124"]),
        ([0.1234567, 0.1234568], ["0.1234567", "0.1234568"]),
        ([1e300], ["1e+300"]),
    ],
)
def test_cut_points_have_as_many_digits_as_they_need(cuts, ends):
    labels = interval_labels(np.array(cuts))
    expected = zip(["-inf", *ends], [*ends, "inf"], strict=True)
    assert [label[1:-1].split(", ") for label in labels] == [list(pair) for pair in expected]


@given(st.sets(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=8))
@example({-1.7e308, 1.7e308})
def test_no_two_intervals_are_called_alike(cuts):
    labels = interval_labels(np.array(sorted(cuts)))
    assert len(set(labels)) == len(labels)


def test_a_code_is_described_as_its_interval_is_called():
    coding = FeatureCoding("continuous", np.array([1600000000.0, 1600086400.0]), 4, True)
    assert [coding.describe(code) for code in range(4)] == [
        "(-inf, 1600000000]",
        "(1600000000, 1600086400]",
        "(1600086400, inf)",
        "missing",
    ]
