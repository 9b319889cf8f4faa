"""The page: what it shows, that names stay text, that nothing leaves it, that it stays small."""

import base64
import hashlib
import json
import re
import sys
from functools import cache
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_wine

pytest.importorskip("jinja2", reason="needs deacs[report]")
pytest.importorskip("jinja2", reason="needs deacs[report]")

from deacs import DEACS, MRMR, CodedData, ReliefF
from deacs.exceptions import InputError
from deacs.report import html_page, write_html
from deacs.report.charts import drawn
from deacs.report.names import plain
from deacs.report.races import corners
from deacs.report.sentences import headline

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "</script><script>alert(3)</script>",
    "</title></style><!--",
    "' onmouseover='alert(4)",
    "{{ 7 * 7 }}{% raw %}${x}%{y}",
    "مرحبا \u202e بالعالم",
    "🧪 emoji 👩‍🔬",
    "nul\x00 and\nnew line",
    "half a pair \ud800",
    "&lt;b&gt;&amp;",
    "a" * 10_000,
]
VOID = {"meta", "link", "input", "br", "img"}


class Page(HTMLParser):
    """Elements and text of a page; complains of tags that do not match."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.scripts, self.open, self.text = [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data
        else:
            self.text.append(data)

    @property
    def words(self):
        return re.sub(r"\s+", " ", "".join(self.text))

    @property
    def tags(self):
        return [tag for tag, _ in self.elements]


def coded(names, classes, n_rows=60, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, len(classes), n_rows)
    y[: len(classes)] = range(len(classes))
    codes = np.column_stack(
        [np.where(rng.random(n_rows) < 0.6, y, 0) + j % 2 for j in range(len(names))]
    )
    return CodedData.from_codes(codes, np.array(classes, dtype=object)[y], names)


@pytest.fixture(scope="module")
def wine():
    bunch = load_wine(as_frame=True)
    X, y = bunch.data, bunch.target_names[bunch.target]
    selector = DEACS.published(n_features_to_select=3).fit(X, y)
    return selector, X, y


@pytest.fixture(scope="module")
def text(wine):
    return html_page(wine[0])


def test_the_page_is_well_formed_and_says_what_was_selected(text, wine):
    page = Page(text)
    selector = wine[0]
    assert headline(wine[0].result_) in page.words
    for name in selector.selected_names_:
        assert name in page.words
    for theta in selector.scores_:
        assert f"{theta:.3f}" in page.words
    assert "selector = DEACS(" in page.words
    assert "label_score='one-vs-rest', n_features_to_select=3).fit(X, y)" in page.words
    assert "numpy" in page.words
    assert "(-inf, 0.975]" in page.words  # an interval of flavanoids, by MDLP


def test_sections_are_linked_labelled_and_headed_in_order(text):
    page = Page(text)
    ids = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    for _, attrs in page.elements:
        for key in ("aria-labelledby", "for"):
            if key in attrs:
                assert attrs[key] in ids
        if attrs.get("href", "").startswith("#"):
            assert attrs["href"][1:] in ids
    levels = [int(tag[1]) for tag in page.tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert max(np.diff(levels)) <= 1
    assert dict(page.elements)["html"] == {"lang": "en"}


def test_nothing_is_fetched_and_only_the_own_script_may_run(text):
    page = Page(text)
    for tag, attrs in page.elements:
        assert not [key for key in attrs if key.startswith("on")], (tag, attrs)
        for key in ("src", "href", "action", "srcset", "data", "poster"):
            assert attrs.get(key, "#").startswith(("#", "data:,")), (tag, attrs)
    style = text[text.index("<style>") : text.index("</style>")]
    assert "url(" not in style
    assert "@import" not in style
    [policy] = [a["content"] for t, a in page.elements if a.get("http-equiv")]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-eval" not in policy
    data, script = page.scripts
    json.loads(data)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in policy


def test_the_page_can_be_mailed(text):
    assert len(text.encode()) < 100_000


def test_charts_get_the_numbers_of_the_fit(text, wine):
    selector = wine[0]
    data = json.loads(Page(text).scripts[0])
    assert data["features"] == selector.selected_names_
    np.testing.assert_allclose(data["labelScores"], selector.label_scores_, rtol=1e-3)
    np.testing.assert_allclose(data["unexplained"], selector.unexplained_.T, rtol=1e-3, atol=1e-12)
    assert len(data["races"]) == 3
    race = data["races"][1]
    assert data["names"][str(race["features"][race["winner"]])] == "proline"
    assert race["candidates"] == len(race["bits"]) == 12
    bits = np.array(race["bits"][race["winner"]]) * race["unit"]
    np.testing.assert_allclose(bits, selector.label_scores_[1], atol=race["unit"])


def test_hostile_names_are_text_and_add_no_element():
    classes = HOSTILE[:4]
    pages = []
    for names, labels in ((HOSTILE, classes), ([f"f{i}" for i in range(12)], list("abcd"))):
        data = coded(names, labels)
        selector = DEACS.published(n_features_to_select=4, include=[0, 1, 2]).fit(data)
        pages.append(Page(html_page(selector, title=names[2])))
    hostile, tame = pages
    # Class names sort differently, so the same elements come in another order.
    assert sorted(hostile.tags) == sorted(tame.tags)
    assert "<script>alert(1)</script>" in hostile.words
    assert '"><img src=x onerror=alert(2)>' in hostile.words
    assert len(hostile.words) < 30_000


@cache
def page_of(names):
    data = coded(names, ["u", "v"])
    return Page(html_page(DEACS.published(n_features_to_select=1).fit(data)))


@settings(max_examples=10)
@given(st.lists(st.text(max_size=30), min_size=3, max_size=3, unique=True).map(tuple))
def test_any_name_is_shown_and_adds_no_element(names):
    page = page_of(names)
    assert page.tags == page_of(("a", "b", "c")).tags
    # The data notes list every column.
    for name in names:
        assert re.sub(r"\s+", " ", plain(name)) in page.words


@pytest.mark.parametrize("n_classes", [26, 300])
def test_wide_tables_of_many_classes_stay_small_and_say_what_is_left_out(n_classes):
    rng = np.random.default_rng(0)
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, 400)])
    shifts, widths = rng.integers(0, 26, 300), rng.integers(3, 9, 300)
    codes = (y[:, None] + shifts) // widths % 5
    codes = np.where(rng.random(codes.shape) < 0.5, codes, rng.integers(0, 5, codes.shape))
    data = CodedData.from_codes(codes, [f"class {label}" for label in y])
    text = html_page(MRMR(n_features_to_select=70).fit(data))
    assert len(text.encode()) < 6_000_000
    page = Page(text)
    assert "The first 60 of 70 are shown" in page.words
    assert "more columns are not listed" in page.words
    assert ("Of 300 classes, the 40 least explained" in page.words) == (n_classes == 300)


def test_thinning_keeps_every_corner_of_every_frontier():
    rng = np.random.default_rng(1)
    bits = rng.random((400, 4)) ** 3
    winner = int(bits[:, 0].argmax())
    kept = drawn(bits, winner, 5, 30)
    assert {winner, 5} <= set(kept.tolist())
    assert len(kept) < 200
    for pair in ([0, 1], [1, 3], [2, 3]):
        for rows in (np.arange(400), np.delete(np.arange(400), winner)):
            assert set(rows[corners(bits[rows][:, pair])].tolist()) <= set(kept.tolist())


def test_pages_without_races_features_or_two_outputs_are_complete():
    constant = CodedData.from_codes(np.zeros((6, 2), dtype=int), list("aabbcc"))
    nothing = Page(html_page(DEACS.published().fit(constant)))
    assert "No feature is informative about the classes beyond chance." in nothing.words
    assert "frontier-chart" not in [attrs.get("id") for _, attrs in nothing.elements]


def test_two_classes_are_shown_once():
    data = coded(list("abc"), ["benign", "malignant"])
    page = Page(html_page(DEACS(n_features_to_select=2).fit(data)))
    ids = [attrs.get("id") for _, attrs in page.elements]
    assert "residual-chart" in ids
    assert not {"frontier-chart", "heat-chart"} & set(ids)
    charts = json.loads(page.scripts[0])
    assert charts["classes"] == ["benign or malignant"]
    assert [len(line) for line in charts["labelScores"]] == [1, 1]
    assert len(charts["unexplained"]) == 1
    assert page.words.count("Features alone, best first") == 1
    # The distributions need both classes.
    assert ("th", {"scope": "col", "class": "number"}) in page.elements


def test_percentages_cannot_break_across_lines(text):
    assert not re.search(r"\d\s+%", Page(text).words)


def test_groups_are_shown_with_their_columns_and_compete_on_the_frontier(wine):
    _, X, y = wine
    groups = {"phenols": ["total_phenols", "flavanoids"], "acid": ["malic_acid", "ash"]}
    grouped = DEACS.published(groups=groups, n_features_to_select=2).fit(X, y)
    page = Page(html_page(grouped))
    assert "2 of 11 groups of features are selected" in page.words
    assert "phenolstotal_phenols, flavanoids" in page.words
    assert "phenols: total_phenols" in page.words  # its distribution
    data = json.loads(page.scripts[0])
    assert data["features"][0] == "phenols"
    assert data["races"][0]["candidates"] == 11
    assert data["isRadial"]


@pytest.mark.parametrize(
    ("selector", "is_radial"),
    [
        (MRMR(n_features_to_select=3), False),
        (ReliefF(n_features_to_select=3), False),
        (DEACS.published(n_features_to_select=3, judge="sum"), False),
        (DEACS.published(3, judge="bounded"), False),
        (DEACS.published(n_features_to_select=3, conditioning="cmim"), True),
    ],
    ids=["mrmr", "relieff", "sum", "weights", "cmim"],
)
def test_only_super_efficiency_has_winners_and_runners_up(wine, selector, is_radial):
    _, X, y = wine
    page = Page(html_page(selector.fit(X, y)))
    data = json.loads(page.scripts[0])
    assert data["isRadial"] == is_radial
    assert ("the winner's lead" in page.words) == is_radial
    assert ("not decided by the frontier alone" in page.words) == (not is_radial)
    if not is_radial:
        race = data["races"][0]
        leading = data["names"][str(race["features"][race["rival"]])]
        assert leading == DEACS.published(n_features_to_select=1).fit(X, y).selected_names_[0]


def test_names_that_differ_differ_in_the_charts():
    names = [f"{'measured in the morning, ' * 3}{k}{' and in the evening' * 3}" for k in range(12)]
    data = coded(names, [f"{'a very long name of a class ' * 2}{k}" for k in range(3)])
    page = Page(html_page(DEACS.published(n_features_to_select=4).fit(data)))
    charts = json.loads(page.scripts[0])
    assert len(set(charts["names"].values())) == 12
    assert len(set(charts["classes"])) == 3
    assert max(map(len, charts["names"].values())) <= 28


def test_the_code_keeps_its_empty_lines(text):
    assert "from deacs import DEACS\n\nselector =" in "".join(Page(text).text)


def test_missing_values_notes_and_identifiers_are_told():
    pl = pytest.importorskip("polars")
    rows = range(40)
    X = pl.DataFrame(
        {
            "size": [None if i % 5 == 0 else float(i % 7) for i in rows],
            "id": [f"<p{i}>" for i in rows],
        }
    )
    with pytest.warns(UserWarning, match="like an identifier"):
        selector = DEACS.published().fit(X, [i % 2 for i in rows])
    page = Page(html_page(selector, notes=[*selector.notes_, "mind <this>"]))
    assert "mind <this>" in page.words
    assert "1 feature has missing values" in page.words
    assert "'id': as many values as rows (40), like an identifier" in page.words


def test_long_names_that_differ_in_the_middle_differ_in_the_tables(wine):
    selector, X, y = wine
    end = "(mg per litre, fasting)"
    names = [f"a rather long name for measurement number {j} {end}" for j in range(13)]
    named = X.set_axis(names, axis=1)
    words = Page(html_page(DEACS.published(3).fit(named, y))).words
    for j in selector.ranking_.tolist():
        assert f"a rather long name f…{j} {end}" in words


def test_the_file_replaces_an_older_one_whole_or_not_at_all(tmp_path, wine, monkeypatch):
    goal = tmp_path / "report.html"
    goal.write_text("older")
    assert write_html(wine[0], goal, title="Wine") == goal
    assert "Wine" in goal.read_text(encoding="utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]

    goal.write_text("older")
    monkeypatch.setattr("pathlib.Path.replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        write_html(wine[0], goal)
    assert goal.read_text() == "older"
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_a_folder_that_does_not_exist_is_named(tmp_path, wine):
    with pytest.raises(InputError, match="nowhere does not exist"):
        write_html(wine[0], tmp_path / "nowhere" / "report.html")


def test_without_jinja_the_error_says_what_to_install(monkeypatch, wine):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(InputError, match=r"pip install 'deacs\[report\]'"):
        html_page(wine[0])
