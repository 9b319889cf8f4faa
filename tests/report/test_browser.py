"""The page in a real browser: charts move, names do not run, nothing is fetched.

`make test-browser` runs them, by DEACS_BROWSER=1: a browser takes longer than all other tests of
the report. They need playwright and a Chromium of the system; they skip, and say so, without.
"""

import os
import shutil

import numpy as np
import pytest

if not os.environ.get("DEACS_BROWSER"):
    pytest.skip("make test-browser (DEACS_BROWSER=1) runs the browser", allow_module_level=True)
pytest.importorskip("plotly", reason="needs deacs[report]")
playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
if CHROMIUM is None:
    pytest.skip("needs Chromium on the path", allow_module_level=True)

from deacs import DEACS, CodedData  # noqa: E402
from deacs.report import write_html  # noqa: E402

NAMES = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    '"><svg onload=alert(3)>',
    "<a href='javascript:alert(4)'>%{x}</a>",
    "مرحبا 🧪",
    "a" * 10_000,
]


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    codes = np.column_stack([np.where(rng.random(300) < 0.7, y == j % 3, 0) for j in range(6)])
    data = CodedData.from_codes(codes.astype(int), np.array(NAMES)[y], NAMES)
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_html(DEACS(n_features_to_select=4).fit(data), data, None, path, title=NAMES[1])
    return path.as_uri()


@pytest.fixture(scope="module")
def chromium():
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium, address):
    """Open the page; afterwards nothing was fetched, said on the console, or run by a name."""
    contexts, said = [], []

    def opened(width=1400, **options):
        context = chromium.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda r: r.url in (address, "data:,") or said.append(r.url[:200]))
        page.goto(address)
        page.wait_for_selector("#path-chart .main-svg")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert said == []


def test_the_slider_moves_the_frontier(open_page):
    page = open_page()
    first = page.inner_text("#frontier-words")
    assert first.startswith("Step 1: ")
    before = page.eval_on_selector("#frontier-chart", "e => e.data[0].x.length")
    page.focus("#step")
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#step-value") == "2"
    assert page.inner_text("#frontier-words").startswith("Step 2: ")
    assert page.eval_on_selector("#frontier-chart", "e => e.data[0].x.length") == before - 1


def test_two_classes_can_be_chosen(open_page):
    page = open_page()
    page.select_option("#across", "2")
    page.select_option("#up", "0")
    drawn = page.eval_on_selector("#frontier-chart", "e => [e.data[3].x[0], e.data[3].y[0]]")
    race = page.evaluate("JSON.parse(document.getElementById('chart-data').textContent).races[0]")
    bits = race["bits"][race["winner"]]
    assert drawn == [bits[2], bits[0]]


def test_pointing_at_a_candidate_shows_its_name_as_text(open_page):
    page = open_page()
    page.evaluate("Plotly.Fx.hover('frontier-chart', [{curveNumber: 3, pointNumber: 0}])")
    shown = page.text_content("#frontier-chart .hoverlayer")
    race = page.evaluate("JSON.parse(document.getElementById('chart-data').textContent).races[0]")
    assert race["names"][race["winner"]][:10] in shown
    assert page.query_selector(".hoverlayer a, .js-plotly-plot a[href^=javascript]") is None


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_theme_follows_the_system_and_the_button(open_page, scheme):
    page = open_page(color_scheme=scheme)
    colour = "getComputedStyle(document.body).backgroundColor"
    light, dark = "rgb(255, 255, 255)", "rgb(20, 24, 30)"
    assert page.evaluate(colour) == (light if scheme == "light" else dark)
    ink = page.eval_on_selector("#path-chart", "e => e.layout.font.color")
    page.click("#theme")
    assert page.evaluate(colour) == (dark if scheme == "light" else light)
    assert page.eval_on_selector("#path-chart", "e => e.layout.font.color") != ink


@pytest.mark.parametrize("width", [390, 1400])
def test_nothing_is_wider_than_the_screen(open_page, width):
    page = open_page(width=width)
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_paper_gets_everything_on_white(open_page):
    page = open_page(color_scheme="dark")
    page.emulate_media(media="print")
    assert not page.is_visible("nav")
    assert not page.is_visible("#theme")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.query_selector("details:not([open])") is None


def test_names_stand_in_the_page_as_text(open_page):
    page = open_page()
    for name in NAMES[:3]:
        assert page.locator("tbody bdi", has_text=name).count() > 0
    assert page.query_selector("img, main svg:not(.main-svg):not(.main-svg *)") is None


def test_axe_finds_no_fault(open_page):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe")
    page = open_page(bypass_csp=True)
    found = axe.Axe().run(page).response["violations"]
    assert [(fault["id"], fault["nodes"][0]["html"][:200]) for fault in found] == []
