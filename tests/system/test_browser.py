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
pytest.importorskip("plotly", reason="needs deacs[report]")
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
        selector, X, y, title = make()
        path = write_html(selector, X, y, folder / f"{make.__name__}.html", title=title)
        assert path.stat().st_size < 6_000_000
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
        page.wait_for_selector("#path-chart .main-svg")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert said == []


def charts(page):
    return page.evaluate("JSON.parse(document.getElementById('chart-data').textContent)")


def place(page, trace):
    """Where the first point of a trace of the frontier is on the screen."""
    page.locator("#frontier-chart").scroll_into_view_if_needed()
    return page.eval_on_selector(
        "#frontier-chart",
        """(e, trace) => {
            const {x, y} = e.data[trace], {xaxis, yaxis} = e._fullLayout;
            const box = e.getBoundingClientRect();
            return [box.left + xaxis._offset + xaxis.l2p(x[0]),
                    box.top + yaxis._offset + yaxis.l2p(y[0])];
        }""",
        trace,
    )


WINNER = 3
"""The trace of the frontier chart that marks the winner."""


@pytest.mark.parametrize("name", ["hostile", "grouped", "ranked", "wide"])
def test_the_slider_moves_the_frontier(open_page, name):
    page = open_page(name)
    data = charts(page)
    for step in (1, 2):
        race = data["races"][step - 1]
        words = page.inner_text("#frontier-words")
        assert words.startswith(f"Step {step}: ")
        assert data["names"][str(race["features"][race["winner"]])] in words
        drawn = page.eval_on_selector("#frontier-chart", "e => e.data[0].x.length")
        has_rival = race["rival"] not in (None, race["winner"])
        assert drawn == len(race["bits"]) - 1 - has_rival
        assert page.inner_text("#step-value") == str(step)
        page.focus("#step")
        page.keyboard.press("ArrowRight")


def test_two_classes_can_be_chosen(open_page):
    page = open_page()
    page.select_option("#across", "2")
    page.select_option("#up", "0")
    drawn = page.eval_on_selector("#frontier-chart", "e => [e.data[3].x[0], e.data[3].y[0]]")
    race = charts(page)["races"][0]
    bits = race["bits"][race["winner"]]
    assert drawn == pytest.approx([bits[2] * race["unit"], bits[0] * race["unit"]])


def test_pointing_at_a_candidate_shows_its_name_as_text(open_page):
    page = open_page()
    page.mouse.move(*place(page, WINNER))
    page.wait_for_selector("#frontier-chart .hoverlayer .hovertext")
    shown = page.text_content("#frontier-chart .hoverlayer")
    data = charts(page)
    race = data["races"][0]
    assert data["names"][str(race["features"][race["winner"]])][:10] in shown
    assert page.query_selector(".hoverlayer a, .js-plotly-plot a[href^=javascript]") is None


def test_colours_of_bits_begin_at_zero(open_page):
    ends = "e => [e._fullData[0].zmin, e._fullData[0].zmax]"
    page = open_page()
    most = max(max(line) for line in charts(page)["labelScores"])
    assert page.eval_on_selector("#heat-chart", ends) == [0, most]


def test_who_zooms_gets_a_way_back(open_page):
    page = open_page("grouped")
    reach = "e => e._fullLayout.xaxis.range[1]"
    before = page.eval_on_selector("#frontier-chart", reach)
    button = page.locator('.reset[data-chart="frontier-chart"]')
    assert not button.is_visible()
    x, y = place(page, WINNER)
    page.mouse.move(x - 150, y + 20)
    page.mouse.down()
    page.mouse.move(x - 20, y + 120, steps=4)
    page.mouse.up()
    assert page.eval_on_selector("#frontier-chart", reach) < before
    button.click()
    assert page.eval_on_selector("#frontier-chart", reach) == before
    assert not button.is_visible()


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
    assert page.query_selector("img, main svg:not(.main-svg):not(.main-svg *)") is None


STEP = """() => {
    const slider = document.getElementById("step"), times = [];
    for (const step of [2, 3, 2, 1, 2, 1]) {
        const begin = performance.now();
        slider.value = step;
        slider.dispatchEvent(new Event("input"));
        times.push(performance.now() - begin);
    }
    return Math.min(...times);
}"""
"""The fastest of six moves of the slider, in milliseconds."""


def test_thousands_of_candidates_stay_responsive_and_thinning_is_said(open_page):
    page = open_page("wide")
    for race in charts(page)["races"]:
        assert len(race["bits"]) < 1000 < race["candidates"]
    words = page.inner_text("#frontier-words")
    assert re.search(r"\d+ of 5000 candidates are drawn, including all corners", words)
    assert "The 16 least explained classes have colours" in page.text_content("main")
    assert "4,800 more columns are not listed" in page.text_content("main")
    # Beside a page with a dozen candidates: the machine may be slow, the page must not be.
    assert page.evaluate(STEP) < 10 * open_page("grouped").evaluate(STEP)


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
