"""Weka's classifiers, real Weka, beside ours."""

import shutil
import signal
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest

from deacs.exceptions import InputError
from deacs.experiments import WORKBENCHES, NearestRows
from deacs.experiments import weka as weka_module
from deacs.experiments.workbenches import Classifier, CountingBayes, known_classifiers

needs_weka = pytest.mark.skipif(
    find_spec("weka") is None or shutil.which("java") is None,
    reason="python-weka-wrapper3 or Java is not installed",
)


def balanced_codes(seed, n_rows=90):
    rng = np.random.default_rng(seed)
    labels = np.arange(n_rows) % 3
    n_values = np.array([3, 4, 2, 3])
    codes = np.where(
        rng.random((n_rows, 4)) < 0.4, labels[:, None], rng.integers(0, 4, (n_rows, 4))
    )
    return np.minimum(codes, n_values - 1), labels, n_values


@needs_weka
@pytest.mark.parametrize("seed", range(3))
def test_ibk_is_our_nearest_rows_ties_and_unknown_values_included(seed):
    codes, labels, n_values = balanced_codes(seed)
    test, _, _ = balanced_codes(seed + 50)
    test[::7, 1] = n_values[1]  # unknown
    theirs = known_classifiers("weka-ibk")["weka-ibk"].predict(codes, labels, test, n_values)
    np.testing.assert_array_equal(theirs, NearestRows().fit(codes, labels).predict(test))


@needs_weka
@pytest.mark.parametrize("seed", range(3))
def test_weka_s_naive_bayes_is_ours_when_classes_are_balanced(seed):
    """Weka adds one to the counts of classes too, which then changes nothing."""
    codes, labels, n_values = balanced_codes(seed)
    test, _, _ = balanced_codes(seed + 50)
    test[::7, 1] = n_values[1]
    theirs = known_classifiers("weka-nb")["weka-nb"].predict(codes, labels, test, n_values)
    ours = Classifier("nb", CountingBayes(), "counts").predict(codes, labels, test, n_values)
    np.testing.assert_array_equal(theirs, ours)


@needs_weka
@pytest.mark.parametrize("name", WORKBENCHES["weka"])
def test_every_classifier_learns_what_one_feature_tells(name):
    codes, _, n_values = balanced_codes(4)
    labels = np.array([5, 2, 9])[codes[:, 0]]  # any integers
    (classifier,) = known_classifiers(name).values()
    predicted = classifier.predict(codes[:60], labels[:60], codes[60:], n_values)
    np.testing.assert_array_equal(predicted, labels[60:])


def test_without_the_wrapper_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr(weka_module, "find_spec", lambda name: None)
    codes, labels, n_values = balanced_codes(0)
    with pytest.raises(InputError, match="pip install python-weka-wrapper3"):
        known_classifiers("weka-j48")["weka-j48"].predict(codes, labels, codes, n_values)


ENDLESS = """
import signal, sys
from deacs.experiments import make_protocol, run
def end(done, total, text):
    if done > 20:
        signal.raise_signal(signal.SIGTERM)
protocol = make_protocol("repeated", n_repeats=1000)
classifiers = ["weka-j48", "weka-nb"]
run("iris", sys.argv[1], methods="mim", classifiers=classifiers, protocol=protocol, progress=end)
"""


@needs_weka
def test_a_run_that_is_asked_to_end_ends_and_records_no_errors(tmp_path):
    """Java has a manner of its own with signals; cells must not fail because it is gone."""
    command = [sys.executable, "-c", ENDLESS, tmp_path]
    work = subprocess.run(command, stderr=subprocess.DEVNULL)
    assert work.returncode == -signal.SIGTERM
    file = tmp_path / "results.jsonl"
    assert file.read_bytes().count(b"score") > 20
    assert b"error" not in file.read_bytes()
