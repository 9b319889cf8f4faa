"""The registry against the paper's Table 1 and the documentation of the sets."""

import gzip
import json

import pytest

from deacs.exceptions import InputError
from deacs.experiments import PAPER_SETS, REGISTRY
from deacs.experiments.registry import dataset_info
from tests.real_data import _folder as data_folder


def test_the_ten_sets_of_the_paper_stand_in_its_order():
    assert PAPER_SETS == (
        "flags", "kr-vs-kp", "mfeat-zernike", "synthetic-control", "splice", "musk2", "dna",
        "arrhythmia", "isolet5", "gisette",
    )  # fmt: skip
    # Rows and classes of Table 1 as printed.
    shapes = {name: (REGISTRY[name].n_rows, REGISTRY[name].n_classes) for name in PAPER_SETS}
    assert shapes["gisette"] == (6000, 2)
    assert shapes["flags"] == (194, 8)
    assert all(REGISTRY[name].openml_id for name in PAPER_SETS)


def test_flags_leaves_its_identifier_out_and_has_both_typings():
    numeric, nominal = REGISTRY["flags"], REGISTRY["flags-nominal"]
    assert "name" in numeric.dropped
    assert "name" in nominal.dropped
    assert not numeric.is_nominal("stripes")
    assert nominal.is_nominal("stripes")
    for info in (numeric, nominal):
        assert info.is_nominal("landmass")
        assert not info.is_nominal("area")


def test_an_unknown_name_is_refused_with_those_that_there_are():
    with pytest.raises(InputError, match=r"got 'musk3'; known names are flags, kr-vs-kp"):
        dataset_info("musk3")


@pytest.mark.real_data
@pytest.mark.parametrize(
    "name",
    [n for n in REGISTRY if n not in ("flags-nominal", "gisette") and not n.endswith("-numeric")],
)
def test_nominal_columns_are_those_that_the_documentation_calls_so(name):
    schema = json.loads((data_folder() / "schema.json").read_text())
    if REGISTRY[name].bundled or REGISTRY[name].maker:
        assert name not in schema
        return
    nominal, info = schema[name]["nominal"], REGISTRY[name]
    if nominal == "all":
        assert info.is_nominal("whatever")
        return
    with gzip.open(data_folder() / f"{name}.csv.gz", "rt") as file:
        columns = [c.strip('"') for c in file.readline().strip().split(",")]
    found = {c for c in columns if info.is_nominal(c) and c not in ("class", *info.dropped)}
    assert found == set(nominal) - set(info.dropped)
