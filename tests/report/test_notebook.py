"""Results in notebooks: a dozen rows, escaped."""

import numpy as np
from sklearn.datasets import load_breast_cancer, load_wine

from deacs import DEACS, MRMR, CodedData
from deacs._html import MOST_ROWS, html_table
from deacs.selection._html import selection_table


def test_a_fitted_selector_shows_features_scores_and_whom_they_serve():
    bunch = load_wine(as_frame=True)
    table = selection_table(DEACS.published(n_features_to_select=2).fit(bunch.data, bunch.target))
    assert "2 of 13 features" in table
    assert ">flavanoids<" in table
    assert ">2 (0.676 bits)<" in table
    assert table.count("<tr>") == 3


def test_two_classes_are_served_alike():
    table = selection_table(
        DEACS.published(n_features_to_select=1).fit(*load_breast_cancer(return_X_y=True))
    )
    assert "both classes (" in table


def test_a_long_ranking_is_cut_and_says_so():
    table = selection_table(MRMR().fit(*load_breast_cancer(return_X_y=True)))
    assert table.count("<tr>") == MOST_ROWS + 2
    assert f"and {30 - MOST_ROWS} more" in table
    assert "serves most" not in table


def test_names_are_escaped_and_shortened():
    names = ["<script>alert('x')</script>", '"' + "a" * 10_000]
    data = CodedData.from_codes(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), list("uuvv"), names)
    table = selection_table(MRMR().fit(data))
    assert "<script>" not in table
    assert "&lt;script&gt;" in table
    assert len(table) < 3000


def test_a_table_rounds_numbers_and_keeps_texts():
    table = html_table("c", {"a": [1.23456, "x"], "b": [np.inf, 7]}, 2)
    for cell in (">1.235<", ">x<", ">inf<", ">7<"):
        assert cell in table
