"""Tables as text."""

import csv
import io
from dataclasses import replace

import pytest

from deacs.exceptions import InputError
from deacs.experiments import Results, compare_results, render
from deacs.experiments.tables import curve_rows, ending_rows, markdown, verdict, written
from tests.unit.experiments.test_curves import made

COMPARISON = compare_results(
    made({
        ("s_1", "a"): {0: {"nb": [9]}}, ("s_1", "b"): {0: {"nb": [8, 9]}},
        ("t", "a"): {0: {"nb": [5]}}, ("t", "b"): {0: {"nb": [7, 2]}},
    })
)  # fmt: skip


def test_markdown_has_the_layout_of_the_paper_with_winners_in_bold():
    assert render(COMPARISON) == (
        "| set | a # | a % | b # | b % |\n"
        "| --- | --: | --: | --: | --: |\n"
        "| s_1 | 1 | **90.00** | 2 | **90.00** |\n"
        "| t | 1 | 50.00 | 1 | **70.00** |\n"
        "| average | 1.0 | 70.00 | 1.5 | 80.00 |\n"
        "| wins |  | 1 |  | 2 |\n"
        "| seconds a selection |  | 1 |  | 1 |\n"
        "| average rank |  | 1.75 |  | 1.25 |\n"
    )


def test_latex_escapes_names_and_balances():
    text = render(COMPARISON, "latex")
    assert r"s\_1 & 1 & \textbf{90.00} & 2 & \textbf{90.00} \\" in text
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 1
    rows = [
        line for line in text.splitlines() if line.endswith(r"\\") and "multicolumn" not in line
    ]
    assert {row.count("&") - row.count(r"\&") for row in rows} == {4}


def test_latex_prints_signs_that_mean_something_to_it():
    named = replace(COMPARISON, methods=("a\\b~{^}", "b"), curves={}, seconds={}, stability={})
    text = render(named, "latex")
    assert r"{a\textbackslash{}b\textasciitilde{}\{\textasciicircum{}\}}" in text


def test_csv_has_a_row_for_each_set_and_method():
    rows = list(csv.DictReader(io.StringIO(render(COMPARISON, "csv"))))
    assert [(r["set"], r["method"], r["n_features"], r["accuracy"]) for r in rows] == [
        ("s_1", "a", "1", "90.00"), ("s_1", "b", "2", "90.00"),
        ("t", "a", "1", "50.00"), ("t", "b", "1", "70.00"),
    ]  # fmt: skip


def test_every_point_of_every_curve_is_written():
    rows = list(csv.DictReader(io.StringIO(written(curve_rows(COMPARISON)))))
    assert [(r["set"], r["method"], r["m"], r["accuracy"]) for r in rows if r["method"] == "b"] == [
        ("s_1", "b", "1", "80.000"), ("s_1", "b", "2", "90.000"),
        ("t", "b", "1", "70.000"), ("t", "b", "2", "20.000"),
    ]  # fmt: skip


def test_a_method_without_a_curve_has_a_dash():
    part = compare_results(made({("s", "a"): {0: {"nb": [9]}}}), methods=["a", "b"])
    assert "| s | 1 | **9" in render(part)
    assert render(part).splitlines()[2].endswith("|  | - |")


def test_the_verdict_names_pairs_that_differ():
    # Ten sets, the second method better on all: 2 / 2**10 is the smallest p there is.
    better = {}
    for s in range(10):
        better[f"s{s}", "a"] = {0: {"nb": [100 + s]}}
        better[f"s{s}", "b"] = {0: {"nb": [150 + 2 * s]}}
    sentences = verdict(compare_results(made(better, rows=1000)))
    assert "a and b (p = 0.00195)" in sentences[-1]
    assert verdict(compare_results(made({("s", "a"): {0: {"nb": [9]}}})))[0].startswith(
        "Tests over"
    )


def test_stability_is_told_where_there_are_two_selections():
    # Splits select features 0, 1 and 1, 2 of 10: (1 * 10 - 4) / (2 * 10 - 4).
    two = made({("s", "a"): {0: {"nb": [8, 9]}, 1: {"nb": [8, 9]}}})
    assert "| stability |  | 0.38 |" in render(compare_results(two))
    assert "stability" not in render(COMPARISON)


def test_endings_are_ranges_over_splits():
    results = Results()
    for split, length, reason in ((0, 3, "exhausted"), (1, 5, "n_features_to_select")):
        where = {"kind": "selection", "set": "s", "method": "a", "split": split, "seconds": 0.0}
        found = {"ranking": list(range(length)), "stop_reason": reason, "n_telling": 7}
        results.add(where | found)
    assert markdown(ending_rows(results, ["s"], ["a", "b"])).splitlines()[2:] == [
        "| s | a | 3 to 5 | 7 | exhausted, n_features_to_select |"
    ]


def test_an_unknown_format_is_refused():
    with pytest.raises(InputError, match="format must be one of markdown, latex, csv, got 'html'"):
        render(COMPARISON, "html")
