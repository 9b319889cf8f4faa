"""The pages: every link leads somewhere, every test that a page names exists, the site is whole.

The tests of the site run where DEACS_SITE names its folder; `make docs` builds it first.
"""

import os
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.each import each

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob(".github/*.md"), *ROOT.glob("docs/**/*.md")])
EXAMPLES = sorted(page for page in ROOT.glob("docs/gallery/*.md") if page.stem != "README")
SITE = Path(os.environ.get("DEACS_SITE", ""))
needs_the_site = pytest.mark.skipif(not SITE.name, reason="make docs builds the site first")
by_name = {"ids": lambda page: str(page.relative_to(ROOT))}

TESTS = "\n".join(path.read_text() for path in ROOT.glob("tests/**/*.py"))


@each("page", PAGES)
def test_links_lead_somewhere(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    links = re.findall(r"\]\(([^)#]+)", text) + re.findall(r'(?:src|srcset)="([^"]+)"', text)
    for link in links:
        if not link.startswith("http"):
            assert (page.parent / link).exists(), link


@each("page", PAGES)
def test_tests_that_a_page_names_exist(page):
    for name in re.findall(r"`(test_[a-z0-9_]+)`", page.read_text()):
        assert f"def {name}(" in TESTS, name


@pytest.mark.parametrize("page", EXAMPLES, **by_name)
def test_examples_of_the_gallery_show_their_picture_and_are_in_its_index(page):
    picture = f"images/gallery-{page.stem}.png"
    assert f"(../{picture})" in page.read_text()
    assert (ROOT / "docs" / picture).stat().st_size < 120_000
    assert f"]({page.name})" in (page.parent / "README.md").read_text()


class Requests(HTMLParser):
    """What a page loads by itself, and where its links lead."""

    def __init__(self, page):
        super().__init__()
        self.loads, self.links, self.ids = [], [], set()
        self.feed(page.read_text())

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.ids.add(found.get("id"))
        self.links += [found["href"]] if tag == "a" and "href" in found else []
        self.loads += [found[name] for name in ("src", "srcset", "data", "poster") if name in found]
        self.loads += [found["href"]] if tag == "link" and "href" in found else []


@pytest.fixture(scope="module")
def site():
    pages = {page: Requests(page) for page in SITE.glob("**/*.html")}
    assert SITE / "index.html" in pages
    return pages


@needs_the_site
def test_no_page_of_the_site_asks_another_host_for_anything(site):
    for page, requests in site.items():
        for address in requests.loads:
            assert urlsplit(address).scheme in ("", "data"), (page, address)
            assert not urlsplit(address).netloc, (page, address)
    for sheet in [*SITE.glob("**/*.css"), *site]:
        for address in re.findall(r"(?:url\(|@import)\s*['\"]?([^'\")]+)", sheet.read_text()):
            assert not re.match(r"(https?:)?//", address), (sheet, address)


@needs_the_site
def test_links_within_the_site_lead_to_pages_and_places_that_exist(site):
    for page, requests in site.items():
        for address in requests.links:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page.resolve()
            assert target.is_file(), (page, address)
            if parts.fragment and SITE.resolve() / "source" not in target.parents:
                ids = site[SITE / target.relative_to(SITE.resolve())].ids
                assert unquote(parts.fragment) in ids, (page, address)


@needs_the_site
def test_every_page_is_in_the_site_and_can_be_found(site):
    index = (SITE / "index.html").read_text()
    for page in ROOT.glob("docs/**/*.md"):
        name = page.relative_to(ROOT / "docs").with_suffix(".html")
        assert SITE / name in site, name
        if page.parent.name == "docs" and page.stem != "index":
            assert f'href="{name}"' in index, name
