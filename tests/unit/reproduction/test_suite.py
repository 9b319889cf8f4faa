import signal
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from reproduction.suite import Method, evaluate, folds, load_table, of_selector, problem
from reproduction.suite.comparing import collect
from reproduction.suite.evaluation import CLASSIFIERS, _prepared, measures, sizes
from reproduction.suite.methods import by_place, by_score
from reproduction.suite.records import Records
from reproduction.suite.running import run
from reproduction.suite.showing import compare
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score, recall_score

from deacs import MIM


@pytest.fixture(autouse=True)
def _own_records_and_cheap_classifiers(tmp_path, monkeypatch):
    monkeypatch.delitem(CLASSIFIERS, "extra trees")
    monkeypatch.delitem(CLASSIFIERS, "logistic regression")
    monkeypatch.setenv("DEACS_SUITE_RECORDS", str(tmp_path))
    monkeypatch.delenv("DEACS_DATA", raising=False)


def test_measures_from_counts_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    y, called = rng.integers(0, 4, (2, 60))
    hit = np.bincount(called[called == y], minlength=4)
    found = measures(hit, np.bincount(called, minlength=4), np.bincount(y, minlength=4))
    wanted = (
        accuracy_score(y, called),
        balanced_accuracy_score(y, called),
        f1_score(y, called, average="macro"),
        recall_score(y, called, average=None).min(),
    )
    np.testing.assert_allclose(found, wanted)


def test_classes_that_are_not_tested_do_not_count():
    assert measures(np.array([3, 0]), np.array([3, 1]), np.array([4, 0]))[1] == 0.75


def test_columns_are_prepared_by_training_rows_alone():
    train, test = np.array([0, 1, 2]), np.array([3, 4])
    known, new = _prepared(pl.Series([1.0, 3.0, None, 100.0, None]), train, test)
    np.testing.assert_allclose(known[:, 0], [-1, 1, 0])
    np.testing.assert_allclose(new[:, 0], [98, 0])
    known, new = _prepared(pl.Series(["a", "b", "c", "d", "a"]), train, test)
    np.testing.assert_array_equal(known, np.eye(3))
    np.testing.assert_array_equal(new, [[0, 0, 0], [1, 0, 0]])
    assert _prepared(pl.Series(["a", "b", "a", "b", "a"]), train, test)[0].shape == (3, 1)


def test_folds_hold_every_row_once_and_training_rows_apart():
    _, y = load_table("wine")
    tested = np.concatenate([test for _, test in folds("wine")])
    assert sorted(tested) == list(range(len(y)))
    assert all(not set(train) & set(test) for train, test in folds("wine"))


def test_sizes_end_at_the_number_of_features():
    assert sizes(13) == [5, 10, 13]
    assert sizes(5_000) == [5, 10, 20, 30, 50]


def test_a_category_ranks_by_its_columns():
    given = SimpleNamespace(X=SimpleNamespace(width=3), owner=np.array([0, 1, 1, 2]), k=3)
    scores = np.array([3.0, 2.0, 2.0, np.nan])
    assert by_score(given, scores).tolist() == [0, 1]
    assert by_score(given, scores, share=True).tolist() == [1, 0]
    assert by_place(given, [2, 3, 1, 0]) == [1, 2, 0]


def test_a_run_goes_on_where_it_was_killed():
    calls = []

    def rank(given):
        calls.append(given.seed)
        return range(given.X.width)

    methods = {"in order": Method(rank, turn=4)}
    run(methods, ["wine"])
    assert calls == [0, 1, 2, 3, 4]
    path = Records("wine")._path("rankings")
    path.write_text(path.read_text()[:-20])  # killed while it wrote
    run(methods, ["wine"])
    assert calls == [0, 1, 2, 3, 4, 4]
    run(methods, ["wine"])
    assert calls == [0, 1, 2, 3, 4, 4]
    n_scores = len(Records("wine").scores)
    run({"in order": Method(rank, version="2", turn=4)}, ["wine"])
    assert len(calls) == 11
    assert len(Records("wine").scores) == n_scores == 5 * 3


def test_what_takes_too_long_is_recorded_and_tried_again_with_more_time():
    def slow(given):
        if not has_time:
            signal.raise_signal(signal.SIGPROF)  # as the system does when the time is spent
        return [0]

    has_time = False

    methods = {"slow": Method(slow, turn=4), "wide": Method(slow, turn=4, max_columns=12)}
    run(methods, ["wine"], budget=0.5)
    found, not_run = collect(methods, ["wine"])
    assert not found
    assert [gap[:2] for gap in not_run] == [("wine", "slow"), ("wine", "wide")]
    assert "too slow" in not_run[0][2]
    assert "12 columns" in not_run[1][2]
    has_time = True
    run({"slow": methods["slow"]}, ["wine"], budget=60)
    assert ("wine", "slow") in collect(methods, ["wine"])[0]


def test_evaluate_agrees_with_the_comparison_of_methods():
    methods = {"MIM": of_selector(MIM), "last": Method(lambda given: range(12, -1, -1))}
    run(methods, ["wine", "breast-cancer"])
    ranking = MIM(13).fit(problem("wine", 0).X, problem("wine", 0).y).ranking_
    assert Records("wine").rankings["MIM", "1", 0]["ranking"] == ranking.tolist()
    accuracies = [
        evaluate("wine", fold, Records("wine").rankings["MIM", "1", fold]["ranking"])["accuracy"]
        for fold in range(5)
    ]
    rows = [len(test) for _, test in folds("wine")]
    comparison = compare(methods, ["wine", "breast-cancer"], "MIM")
    place = comparison.tables.index("wine"), comparison.methods.index("MIM")
    pooled = 100 * np.average(accuracies, weights=rows)
    assert comparison.measured(0)[place] == pytest.approx(pooled)
    assert comparison.overview()[0]["method"] == "MIM"


def test_no_features_call_every_row_the_commonest_class():
    found = evaluate("breast-cancer", 0, [])
    _, y = load_table("breast-cancer")
    _, test = folds("breast-cancer")[0]
    assert found["accuracy"] == np.mean(y[test] == "benign")
    assert found["worst-class recall"] == 0
