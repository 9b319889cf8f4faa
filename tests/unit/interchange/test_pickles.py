"""Pickles know who wrote them; skops keeps fitted estimators without any."""

import copy
import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine

import deacs
from deacs import DEACS, MDLP, Blocks, OneHotCodes, Radial, StabilitySelection
from deacs.exceptions import VersionWarning

X, Y = load_wine(return_X_y=True)
ESTIMATORS = {
    "DEACS": DEACS(3, judge=Radial(weight_ratio=4.0), conditioning=Blocks(20)),
    "published": DEACS.published(3),
    "MRMR": deacs.MRMR(3),
    "CFS": deacs.CFS(),
    "ReliefF": deacs.ReliefF(3),
    "StabilitySelection": StabilitySelection(DEACS(2)),
    "MDLP": MDLP(),
    "EqualWidth": deacs.EqualWidth(),
    "EqualFrequency": deacs.EqualFrequency(),
    "OneHotCodes": OneHotCodes(),
}
each = pytest.mark.parametrize("name", ESTIMATORS)


@each
def test_a_pickle_of_this_version_is_read_in_silence(name):
    fitted = clone(ESTIMATORS[name]).fit(X, Y)
    read = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(read.transform(X), fitted.transform(X))
    assert vars(read).keys() == vars(fitted).keys()


@each
def test_a_pickle_of_another_version_is_read_with_a_clear_word(name, monkeypatch):
    fitted = clone(ESTIMATORS[name]).fit(X, Y)
    monkeypatch.setattr("deacs._versioned.__version__", "0.0.9")
    written = pickle.dumps(fitted)
    monkeypatch.undo()
    words = rf"pickled by deacs 0\.0\.9, and this is {deacs.__version__}: .* fit it again"
    with pytest.warns(VersionWarning, match=words) as caught:
        read = pickle.loads(written)
    assert caught[0].message.written == "0.0.9"
    np.testing.assert_array_equal(read.transform(X), fitted.transform(X))


def test_a_pickle_that_does_not_say_its_version_is_told_too():
    state = {k: v for k, v in MDLP().fit(X, Y).__getstate__().items() if k != "_deacs_version"}
    with pytest.warns(VersionWarning, match="a version that did not say which"):
        MDLP.__new__(MDLP).__setstate__(state)


def test_a_warning_about_versions_survives_a_pickle():
    warning = VersionWarning("MDLP", "0.0.9", "0.1.0")
    assert str(pickle.loads(pickle.dumps(warning))) == str(warning)


def test_copies_are_silent_and_whole():
    fitted = DEACS(2).fit(X, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for twin in (copy.copy(fitted), copy.deepcopy(fitted)):
            assert twin.ranking_.tolist() == fitted.ranking_.tolist()


@each
def test_skops_keeps_estimators_and_asks_for_classes_of_deacs_only(name):
    skops = pytest.importorskip("skops.io", reason="pip install skops to run this")
    fitted = clone(ESTIMATORS[name]).fit(X, Y)
    data = skops.dumps(fitted)
    asked = skops.get_untrusted_types(data=data)
    assert asked
    assert all(kind.startswith("deacs.") for kind in asked)
    read = skops.loads(data, trusted=asked)
    np.testing.assert_array_equal(read.transform(X), fitted.transform(X))
    assert read.get_params().keys() == fitted.get_params().keys()
    assert repr(read) == repr(fitted)
    if hasattr(fitted, "notes_"):
        assert read.notes_ == fitted.notes_
