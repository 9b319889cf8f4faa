"""The site in a real browser at three widths: nothing is cut off, axe finds nothing serious.

They run where DEACS_BROWSER is set and DEACS_SITE names the site: `make docs test-browser`.
"""

import os
import shutil
from pathlib import Path

import pytest

SITE = os.environ.get("DEACS_SITE", "")
if not (os.environ.get("DEACS_BROWSER") and SITE):
    reason = "make docs test-browser (DEACS_BROWSER=1, DEACS_SITE) runs the browser on the site"
    pytest.skip(reason, allow_module_level=True)
playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)

WIDTHS = (360, 768, 1280)
PATIENCE = 120_000  # ms: a busy machine draws slowly, which is no fault of the page
ROOT = Path(SITE).resolve()
PAGES = sorted(
    str(page.relative_to(ROOT))
    for page in ROOT.rglob("*.html")
    if page.parent.name in (ROOT.name, "gallery")
)
LOOKED_AT_BY_AXE = ("index.html", "start.html", "tutorial.html", "interchange.html", "search.html")

# Elements that stick out of the window and cannot be scrolled to inside of any other.
CUT_OFF = """() => [...document.querySelectorAll('article *')].filter(element => {
    if (element.getBoundingClientRect().right <= innerWidth + 1) return false
    for (let box = element.parentElement; box; box = box.parentElement)
        if (['auto', 'scroll', 'hidden'].includes(getComputedStyle(box).overflowX)) return false
    return true
}).map(element => element.outerHTML.slice(0, 80))"""


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="module", params=WIDTHS)
def window(browser, request):
    opened = browser.new_page(viewport={"width": request.param, "height": 900})
    opened.set_default_timeout(PATIENCE)
    yield opened
    opened.close()


@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_cut_off(window, page):
    window.goto((ROOT / page).as_uri())
    # Charts take their size after the page is there; a page that stays too wide fails by timeout.
    window.wait_for_function("document.documentElement.scrollWidth <= innerWidth")
    assert window.evaluate(CUT_OFF) == []


@pytest.mark.parametrize("page", LOOKED_AT_BY_AXE)
def test_axe_finds_nothing_serious(window, page):
    window.goto((ROOT / page).as_uri())
    found = axe.Axe().run(window).response["violations"]
    assert [v["id"] for v in found if v["impact"] in ("serious", "critical")] == []


def test_the_first_screen_has_the_example_and_the_picture(browser):
    window = browser.new_page(viewport={"width": 1440, "height": 900})
    window.goto((ROOT / "index.html").as_uri())
    for what in ("article pre", "article img"):
        box = window.locator(what).first.bounding_box()
        assert box["y"] + box["height"] < 900, what


def test_search_works_without_a_server(browser):
    window = browser.new_page()
    window.context.set_offline(True)
    window.goto((ROOT / "search.html").as_uri() + "?q=leak")
    window.locator("#search-results li").first.wait_for(timeout=PATIENCE)
    titles = window.locator("#search-results li").all_inner_texts()
    assert any("giving the answer away" in title for title in titles)
