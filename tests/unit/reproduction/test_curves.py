"""Curves and bests from hand-made results."""

import math

import numpy as np
import pytest
from reproduction.curves import Best, compare_results


def add(results, record):
    key = record["set"], record["method"], record["split"]
    if "m" in record:
        key = (*key, record["m"], record["classifier"])
    results[key] = record


def made(accuracies, rows=10):
    """Make results of {(set, method): {split: {classifier: [correct with 1, 2, ... features]}}}."""
    results = {}
    for (name, method), splits in accuracies.items():
        for split, classifiers in splits.items():
            where = {"set": name, "method": method, "split": split}
            length = len(next(iter(classifiers.values())))
            ranking = list(range(split, split + length))
            found = {"ranking": ranking, "seconds": 1.0 + split, "n_columns": 10}
            add(results, {"kind": "selection", **where, **found})
            for classifier, curve in classifiers.items():
                for m, correct in enumerate(curve, start=1):
                    cell = {"m": m, "classifier": classifier, "rows": rows, "correct": correct}
                    add(results, {"kind": "score", **where, **cell, "seconds": 0.0})
    return results


def test_a_point_is_the_mean_over_classifiers_of_the_pooled_splits():
    results = made(
        {("s", "a"): {0: {"nb": [4, 6], "tree": [5, 9]}, 1: {"nb": [6, 8], "tree": [5, 9]}}}
    )
    comparison = compare_results(results)
    np.testing.assert_allclose(comparison.curves["s", "a"], [50.0, 80.0])
    assert comparison.best("s", "a") == Best(80.0, 2)
    assert comparison.seconds["s", "a"] == pytest.approx(1.5)


def test_a_split_that_ended_early_counts_with_all_it_selected():
    results = made({("s", "a"): {0: {"nb": [4, 6, 9]}, 1: {"nb": [5]}}})
    np.testing.assert_allclose(compare_results(results).curves["s", "a"], [45.0, 55.0, 70.0])


def test_the_best_is_reached_with_the_fewest_features():
    results = made({("s", "a"): {0: {"nb": [7, 9, 9, 8]}}})
    assert compare_results(results).best("s", "a") == Best(90.0, 2)


def test_equal_methods_share_the_win_and_averages_are_over_complete_sets():
    results = made({
        ("s", "a"): {0: {"nb": [9]}}, ("s", "b"): {0: {"nb": [8, 9]}},
        ("t", "a"): {0: {"nb": [5]}}, ("t", "b"): {0: {"nb": [7, 2]}},
        ("u", "a"): {0: {"nb": [1]}},
    })  # fmt: skip
    comparison = compare_results(results)
    assert comparison.sets == ("s", "t", "u")
    assert comparison.complete_sets == ("s", "t")
    assert comparison.winners("s") == {"a", "b"}
    assert [comparison.wins(method) for method in "ab"] == [1, 2]
    assert comparison.average("a") == (70.0, 1.0)
    assert comparison.average("b") == (80.0, 1.5)
    np.testing.assert_array_equal(comparison.accuracies(), [[90, 90], [50, 70]])
    assert comparison.best("u", "b") is None


def test_a_missing_cell_leaves_no_curve():
    results = made({("s", "a"): {0: {"nb": [4, 6], "tree": [5]}}})
    comparison = compare_results(results)
    assert ("s", "a") not in comparison.curves
    assert comparison.complete_sets == ()
    assert math.isnan(comparison.average("a")[0])
    # Of the classifier that is whole there is a curve.
    assert ("s", "a") in compare_results(results, classifiers=["nb"]).curves


def test_a_selection_on_all_rows_serves_every_split():
    results = made({("s", "a"): {0: {"nb": [4, 6]}, 1: {"nb": [8, 8]}}})
    whole = {key: record for key, record in results.items() if record["kind"] == "score"}
    add(whole, {"kind": "selection", "set": "s", "method": "a", "split": -1, "ranking": [1, 0],
                "seconds": 0.5})  # fmt: skip
    comparison = compare_results(whole)
    np.testing.assert_allclose(comparison.curves["s", "a"], [60.0, 70.0])
    assert math.isnan(comparison.stability["s", "a"])


def test_stability_is_agreement_beyond_chance_at_the_best_number_of_features():
    # {0, 1}, {1, 2}, {2, 3} of 10: Kuncheva's index is 6/16, 6/16 and -4/16.
    splits = {split: {"nb": [1, 2, 2]} for split in range(3)}
    stability = compare_results(made({("s", "a"): splits})).stability["s", "a"]
    assert stability == pytest.approx(1 / 6)


def test_a_method_that_takes_all_columns_has_no_stability():
    comparison = compare_results(scored([4, 4], [1, 4]))
    assert comparison.best("s", "a").n_features == 4
    assert math.isnan(comparison.stability["s", "a"])


def test_nothing_yet_is_no_error():
    comparison = compare_results({}, ["s"], ["a"])
    assert comparison.curves == {}


def scored(lengths, sizes):
    """Make results of splits that ended at `lengths`, scored at `sizes`: m rows of 10 correct."""
    results = {}
    for split, length in enumerate(lengths):
        where = {"set": "s", "method": "a", "split": split}
        found = {"ranking": list(range(length)), "seconds": 1.0, "n_columns": max(lengths)}
        add(results, {"kind": "selection", **where, **found})
        for m in {min(m, length) for m in sizes}:
            cell = {"m": m, "classifier": "nb", "rows": 10, "correct": m, "seconds": 0.0}
            add(results, {"kind": "score", **where, **cell})
    return results


def test_numbers_of_features_that_were_not_scored_are_nan():
    comparison = compare_results(scored([6, 6], sizes=[1, 3, 6]))
    nan = math.nan
    np.testing.assert_array_equal(comparison.curves["s", "a"], [10.0, nan, 30.0, nan, nan, 60.0])
    assert comparison.best("s", "a") == Best(60.0, 6)


def test_what_a_split_scored_at_its_end_is_no_point_that_others_must_have():
    comparison = compare_results(scored([3, 6, 5], sizes=[2, 4, 8]))
    # With 4 features: 3, 4 and 4 rows of 30; with 8, which no split reaches: 3, 6 and 5.
    expected = [math.nan, 20.0, math.nan, 100 * 11 / 30, math.nan, 100 * 14 / 30]
    np.testing.assert_allclose(comparison.curves["s", "a"], expected)


def test_only_the_sizes_that_are_asked_for_count():
    comparison = compare_results(scored([4, 4], sizes=range(1, 5)), sizes=[1, 3])
    np.testing.assert_array_equal(comparison.curves["s", "a"], [10.0, math.nan, 30.0, math.nan])


def test_a_size_that_failed_in_one_split_leaves_no_curve():
    results = scored([3, 3], sizes=[1, 2, 3])
    where = {"set": "s", "method": "a", "split": 1, "m": 2, "classifier": "nb"}
    add(results, {"kind": "error", **where, "error": "ValueError: no"})
    assert ("s", "a") not in compare_results(results).curves


def test_what_is_named_twice_is_compared_once():
    results = scored([3, 3], sizes=[1, 2, 3])
    once = compare_results(results, ["s"], ["a"], ["nb"])
    twice = compare_results(results, ["s", "s"], ["a", "a"], ["nb", "nb"])
    assert (twice.sets, twice.methods, twice.classifiers) == (("s",), ("a",), ("nb",))
    np.testing.assert_array_equal(twice.curves["s", "a"], once.curves["s", "a"])
