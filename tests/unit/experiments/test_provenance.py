"""What is written beside results."""

import json
from importlib.metadata import version

import pytest

from deacs import __version__
from deacs.exceptions import InputError
from deacs.experiments import load_dataset, make_protocol, run
from tests.system.experiments.test_weka import needs_weka


def test_settings_versions_and_checksums_are_written(tmp_path):
    how = {"classifiers": "nb", "protocol": make_protocol("paper", n_splits=2), "max_features": 1}
    run("iris", tmp_path, methods="mim", **how)
    run("iris", tmp_path, methods="relieff-paper", **how)
    record = json.loads((tmp_path / "provenance.json").read_text())
    assert record["data"] == {"iris": load_dataset("iris").checksum}
    assert record["settings"]["protocol seed"] == 0
    assert record["settings"]["max_features"] == 1
    assert record["methods"]["relieff-paper"].startswith("ReliefF(n_neighbors=5")
    assert [entry["methods"] for entry in record["runs"]] == [["mim"], ["relieff-paper"]]
    for entry in record["runs"]:
        assert entry["optimistic"] is True
        assert entry["deacs"] == __version__
        assert {"numpy", "scikit-learn"} <= entry["libraries"].keys()


def test_the_record_is_replaced_whole(tmp_path):
    run("iris", tmp_path, methods="mim", classifiers="nb", max_features=1)
    assert [p.name for p in tmp_path.iterdir() if p.suffix == ".part"] == []


@pytest.mark.parametrize("text", ["{", "[]", '{"settings": {}}'])
def test_a_file_that_is_no_provenance_is_named(tmp_path, text):
    (tmp_path / "provenance.json").write_text(text)
    with pytest.raises(InputError, match=r"provenance\.json is not the provenance of a run"):
        run("iris", tmp_path, methods="mim", classifiers="nb", max_features=1)
    assert (tmp_path / "provenance.json").read_text() == text


@needs_weka
def test_weka_s_version_is_there_where_weka_judges(tmp_path):
    how = {"protocol": make_protocol("paper", n_splits=2), "max_features": 1, "methods": "mim"}
    run("iris", tmp_path, classifiers=["nb"], **how)
    run("iris", tmp_path, classifiers=["weka-nb"], **how)
    runs = json.loads((tmp_path / "provenance.json").read_text())["runs"]
    versions = [entry["libraries"].get("python-weka-wrapper3") for entry in runs]
    assert versions[0] is None
    assert versions[1] == version("python-weka-wrapper3")
    assert [entry["sizes"] for entry in runs] == [[1], [1]]
