"""Every verb once, as a process of its own: what a user runs first."""

import json
import subprocess
import sys

import pytest
from sklearn.datasets import load_wine

pytestmark = pytest.mark.starts_processes


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wine")
    X, y = load_wine(return_X_y=True, as_frame=True)
    X.round(2).assign(cultivar=y.map("abc".__getitem__)).to_csv(folder / "wine.csv", index=False)
    return folder


def run(folder, *arguments):
    command = [sys.executable, "-m", "deacs", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_select_prints_the_features_and_writes_a_page(folder):
    out = run(folder, "select", "wine.csv", "-t", "cultivar", "-k", "3", "--report", "page.html")
    assert "flavanoids" in out
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "flavanoids" in page


def test_encode_writes_codes_that_select_takes(folder):
    run(folder, "encode", "wine.csv", "-t", "cultivar", "--out", "wine.codes")
    chosen = json.loads(run(folder, "select", "wine.codes", "-k", "2", "--json"))
    assert len(chosen["selected"]) == 2


def test_compare_names_methods_and_chance(folder):
    out = run(folder, "compare", "wine.csv", "-t", "cultivar", "-m", "mim,mrmr", "-k", "2")
    assert {"mim", "mrmr", "chance"} <= set(out.split())


def test_dea_prints_efficiencies(folder):
    out = run(folder, "dea", "wine.csv", "--inputs", "alcohol", "--outputs", "proline", "--json")
    assert json.loads(out)["units"]


def test_demo_shows_a_selection_of_a_table_of_scikit_learn(folder):
    assert "rank" in run(folder, "demo")
    assert list(folder.glob("*.html"))
