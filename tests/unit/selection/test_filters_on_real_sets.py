"""The filters on the paper's data sets, against FEAST and praznik, position by position."""

import json
from pathlib import Path

import pytest

import deacs
from deacs import encode
from tests.real_data import nominal_columns, read_set

pytestmark = pytest.mark.real_data

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "selections.json").read_text())
CASES = [(name, method) for name, found in GOLDEN["selections"].items() for method in found]


@pytest.fixture(scope="module")
def coded():
    tables = {}

    def read(name):
        if name not in tables:
            X, y = read_set(name)
            X = X.drop("name") if name == "flags" else X
            tables[name] = encode(X, y, discrete_features=nominal_columns(name, X))
        return tables[name]

    return read


@pytest.mark.parametrize(("name", "method"), CASES)
def test_selection_equals_that_of_feast_and_praznik(name, method, coded):
    [order] = GOLDEN["selections"][name][method].values()
    selector = getattr(deacs, method)(n_features_to_select=len(order)).fit(coded(name))
    assert selector.ranking_.tolist() == order
