"""Selectors and results in a notebook: a compact table, not a dump."""

import pickle

import numpy as np
from sklearn.datasets import load_breast_cancer, load_wine

from deacs import DEACS, JMI, MRMR, CodedData
from deacs._html import MOST_ROWS, html_table
from deacs.dea import ccr
from deacs.selection._html import selection_table


def table_of(selector):
    return selection_table(selector.result_)


def test_a_fitted_selector_shows_what_it_selected():
    X, y = load_wine(return_X_y=True, as_frame=True)
    for selector in (DEACS.published(3), JMI(3)):
        shown = selector.fit(X, y)._repr_html_()
        for name in selector.selected_names_:
            assert name in shown
        assert len(shown) < 50_000


def test_the_notebook_shows_the_result():
    X, y = load_wine(return_X_y=True, as_frame=True)
    for selector in (DEACS.published(3), DEACS.published(2, groups={"acid": X.columns[[0, 1]]})):
        result, shown = selector.fit(X, y).result_, selector._repr_html_()
        assert f"{result.n_selected} of {result.data.n_features} " in shown
        assert result.ending in shown
        for step, bits in enumerate(result.label_scores):
            (best, sign, amount), *_ = result.most_informed(bits, step)
            assert " ".join(filter(None, (best, sign))) + f": {amount}" in shown


def test_a_group_is_one_row():
    X, y = load_wine(return_X_y=True, as_frame=True)
    pair = DEACS.published(1, groups={"colours": ["hue", "color_intensity"]}, include=["hue"])
    assert pair.fit(X, y).result_.selected_names == ("colours",)
    assert pickle.loads(pickle.dumps(pair)).result_.columns == pair.result_.columns
    assert "colours" in pair._repr_html_()


def test_the_sets_of_labels_that_occur_stay_out_of_a_selector():
    X = np.arange(40).reshape(20, 2) % 3
    y = np.array([[1, 0], [1, 1], [0, 1], [0, 0]] * 5)
    target = DEACS.published().fit(X, y).result_.source.target
    assert (target.kind, target.membership.shape) == ("labels", (0, 2))


def test_scores_and_the_classes_a_feature_is_informative_about_are_named():
    X, y = load_wine(return_X_y=True, as_frame=True)
    table = table_of(DEACS.published(n_features_to_select=2).fit(X, y))
    assert "2 of 13 features" in table
    assert ">flavanoids<" in table
    assert ">2 ↓: 0.676, " in table
    assert table.count("<tr>") == 3


def test_two_classes_share_their_bits():
    table = table_of(
        DEACS.published(n_features_to_select=1).fit(*load_breast_cancer(return_X_y=True))
    )
    assert ">1 ↓: " in table  # benign: low values
    assert ">0 ↑: " not in table


def test_a_long_ranking_is_cut_and_says_so():
    table = table_of(MRMR().fit(*load_breast_cancer(return_X_y=True)))
    assert table.count("<tr>") == MOST_ROWS + 2
    assert f"and {30 - MOST_ROWS} more" in table
    assert "most informative" not in table


def test_names_are_escaped_and_shortened():
    names = ["<script>alert('x')</script>", '"' + "a" * 10_000]
    data = CodedData.from_codes(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), list("uuvv"), names)
    table = table_of(MRMR().fit(data))
    assert "<script>" not in table
    assert "&lt;script&gt;" in table
    assert len(table) < 3000


def test_a_table_rounds_numbers_and_keeps_texts():
    table = html_table("c", {"a": [1.23456, "x"], "b": [np.inf, 7]}, 2)
    for cell in (">1.235<", ">x<", ">inf<", ">7<"):
        assert cell in table


def test_a_dea_result_shows_scores_and_status():
    shown = ccr([2, 3, 4], [1, 3, 2], names=["a&b", "c", "d"])._repr_html_()
    assert "a&amp;b" in shown
    assert "efficient" in shown
