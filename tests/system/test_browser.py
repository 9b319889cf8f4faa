"""The page in a real browser: charts move, names do not run, nothing is fetched.

`make test-browser` runs them, by DEACS_BROWSER=1: a browser takes longer than all other tests of
the report. They need playwright and a Chromium, the system's or playwright's own; they skip, and
say so, without.
"""

import os
import re
import shutil

import numpy as np
import pytest

if not os.environ.get("DEACS_BROWSER"):
    pytest.skip("make test-browser (DEACS_BROWSER=1) runs the browser", allow_module_level=True)
pytest.importorskip("jinja2", reason="needs deacs[report]")
playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
if CHROMIUM is None:
    with playwright.sync_playwright() as fetched:
        CHROMIUM = fetched.chromium.executable_path  # what `playwright install chromium` brings
if not os.path.exists(CHROMIUM):
    reason = "NO BROWSER: put Chromium on the path, or run `playwright install chromium`"
    pytest.skip(reason, allow_module_level=True)

from sklearn.datasets import load_wine  # noqa: E402

from deacs import DEACS, MRMR, CodedData  # noqa: E402
from deacs.report import write_html  # noqa: E402

NAMES = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    '"><svg onload=alert(3)>',
    "<a href='javascript:alert(4)'>%{x}</a>",
    "مرحبا 🧪",
    "a" * 10_000,
]


def hostile():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    codes = np.column_stack([np.where(rng.random(300) < 0.7, y == j % 3, 0) for j in range(6)])
    data = CodedData.from_codes(codes.astype(int), np.array(NAMES, dtype=object)[y], NAMES)
    return DEACS.published(n_features_to_select=4).fit(data), data, None, NAMES[1]


def grouped():
    X, y = load_wine(return_X_y=True, as_frame=True)
    groups = {"phenols": ["total_phenols", "flavanoids"], "acid": ["malic_acid", "ash"]}
    return DEACS.published(n_features_to_select=3, groups=groups).fit(X, y), X, y, "groups"


def ranked():
    X, y = load_wine(return_X_y=True, as_frame=True)
    return MRMR(n_features_to_select=5).fit(X, y), X, y, "mRMR"


def wide():
    """Five thousand candidates, twenty-six classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 26, 1000)
    codes = (y[:, None] + rng.integers(0, 26, 5000)) // rng.integers(3, 9, 5000) % 5
    codes = np.where(rng.random(codes.shape) < 0.25, codes, rng.integers(0, 5, codes.shape))
    names = [f"gene {j} of chromosome {j % 23 + 1}" for j in range(5000)]
    classes = np.array([f"letter {chr(65 + i)}" for i in range(26)], dtype=object)
    data = CodedData.from_codes(codes, classes[y], names)
    return DEACS.published(n_features_to_select=6).fit(data), data, None, "wide"


@pytest.fixture(scope="module")
def addresses(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    made = {}
    for make in (hostile, grouped, ranked, wide):
        selector, _, _, title = make()
        path = write_html(selector, folder / f"{make.__name__}.html", title=title)
        assert path.stat().st_size < 600_000
        made[make.__name__] = path.as_uri()
    return made


@pytest.fixture(scope="module")
def chromium():
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium, addresses):
    """Open a page; afterwards nothing was fetched, said on the console, or run by a name."""
    contexts, said = [], []

    def opened(name="hostile", width=1400, **options):
        context = chromium.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        allowed = (addresses[name], "data:,")
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda r: r.url in allowed or said.append(r.url[:200]))
        page.goto(addresses[name])
        page.wait_for_selector("#path-chart svg")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert said == []


def charts(page):
    return page.evaluate("JSON.parse(document.getElementById('chart-data').textContent)")


WINNER = "#frontier-chart .edge.c0"
"""The mark of the winner in the frontier."""


@pytest.mark.parametrize("name", ["hostile", "grouped", "ranked", "wide"])
def test_the_slider_moves_the_frontier(open_page, name):
    page = open_page(name)
    data = charts(page)
    for step in (1, 2):
        race = data["races"][step - 1]
        words = page.inner_text("#frontier-words")
        assert words.startswith(f"Step {step}: ")
        assert data["names"][str(race["features"][race["winner"]])] in words
        assert page.locator("#frontier-chart [data-tip]").count() == len(race["bits"])
        assert page.inner_text("#step-value") == str(step)
        page.focus("#step")
        page.keyboard.press("ArrowRight")


def test_two_classes_can_be_chosen(open_page):
    page = open_page()
    page.select_option("#across", "2")
    page.select_option("#up", "0")
    race = charts(page)["races"][0]
    bits = np.array(race["bits"][race["winner"]]) * race["unit"]
    assert page.get_attribute(WINNER, "data-tip").endswith(
        f"\n{bits[2]:.3f} and {bits[0]:.3f} bits"
    )
    titles = page.locator("#frontier-chart .title").all_text_contents()
    assert titles == [f"bits about {charts(page)['classes'][i]}" for i in (2, 0)]


def test_points_stand_where_their_bits_are(open_page):
    page = open_page("grouped")
    race = charts(page)["races"][0]
    across, up = race["pair"]
    marks = page.locator("#frontier-chart path[data-tip]").all()
    at = []
    for mark in marks:
        place = re.findall(r"-?[0-9.]+", mark.get_attribute("transform"))
        told = re.search(r"\n([0-9.]+) and ([0-9.]+) bits$", mark.get_attribute("data-tip"))
        at.append([*map(float, place), *map(float, told.groups())])
    x, y, right, top = np.array(at).T
    assert right.max() == pytest.approx(
        np.array(race["bits"])[:, across].max() * race["unit"], abs=1e-3
    )
    assert top.max() == pytest.approx(np.array(race["bits"])[:, up].max() * race["unit"], abs=1e-3)
    assert np.corrcoef(x, right)[0, 1] == pytest.approx(1, abs=1e-4)
    assert np.corrcoef(y, top)[0, 1] == pytest.approx(-1, abs=1e-4)


def test_pointing_at_a_candidate_shows_its_name_as_text(open_page):
    page = open_page()
    assert not page.is_visible("#tip")
    page.locator("#frontier-chart").scroll_into_view_if_needed()
    box = page.locator(WINNER).bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert page.is_visible("#tip")
    data = charts(page)
    race = data["races"][0]
    assert page.inner_text("#tip").startswith(data["names"][str(race["features"][race["winner"]])])
    assert page.query_selector("#tip *") is None
    page.mouse.move(1, 1)
    assert not page.is_visible("#tip")


def test_colours_of_bits_begin_at_zero(open_page):
    page = open_page()
    bits = np.array(charts(page)["labelScores"])
    shades = [
        float(cell.get_attribute("fill-opacity")) for cell in page.locator("#heat-chart rect").all()
    ]
    assert shades == pytest.approx((0.04 + 0.96 * bits / bits.max()).ravel(), abs=1e-3)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_theme_follows_the_system_and_the_button(open_page, scheme):
    page = open_page(color_scheme=scheme)
    colour = "getComputedStyle(document.body).backgroundColor"
    light, dark = "rgb(255, 255, 255)", "rgb(20, 24, 30)"
    assert page.evaluate(colour) == (light if scheme == "light" else dark)
    ink = "getComputedStyle(document.querySelector('#path-chart text')).fill"
    before = page.evaluate(ink)
    page.click("#theme")
    assert page.evaluate(colour) == (dark if scheme == "light" else light)
    assert page.evaluate(ink) != before


@pytest.mark.parametrize("width", [390, 1400])
@pytest.mark.parametrize("name", ["hostile", "grouped", "wide"])
def test_nothing_is_wider_than_the_screen(open_page, name, width):
    page = open_page(name, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("name", ["hostile", "wide"])
def test_paper_gets_everything_on_white(open_page, name):
    page = open_page(name, width=718, color_scheme="dark")  # A4 without its margins
    page.emulate_media(media="print")
    for element in ("nav", "#theme", "#step"):
        assert not page.is_visible(element)
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.query_selector("details:not([open])") is None
    assert page.evaluate("document.documentElement.scrollWidth") <= 718
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.query_selector("details:not([open])") is not None
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_names_stand_in_the_page_as_text(open_page):
    page = open_page()
    for name in NAMES[:3]:
        assert page.locator("tbody bdi", has_text=name).count() > 0
    assert page.query_selector("img, main svg:not(.chart svg, .strip svg)") is None


def test_of_thousands_of_candidates_some_are_drawn_and_it_is_said(open_page):
    page = open_page("wide")
    for race in charts(page)["races"]:
        assert len(race["bits"]) < 1000 < race["candidates"]
    words = page.inner_text("#frontier-words")
    assert re.search(r"\d+ of 5000 candidates are drawn, including all corners", words)
    assert "The 16 least explained classes have colours" in page.text_content("main")
    assert "4,800 more columns are not listed" in page.text_content("main")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["hostile", "grouped", "wide"])
def test_axe_finds_no_fault(open_page, name, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe")
    page = open_page(
        name, width=390 if name == "grouped" else 1400, color_scheme=scheme, bypass_csp=True
    )
    page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
    found = axe.Axe().run(page).response["violations"]
    assert [(fault["id"], fault["nodes"][0]["html"][:200]) for fault in found] == []
