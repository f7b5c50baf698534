"""The site, as `make docs` has made it, in a real browser; `make docs-test` runs this.

It needs Chromium: chromium on the PATH, or DSGEN_CHROMIUM. Without one, the tests fail; nothing is skipped.
"""

import functools
import http.client
import os
import shutil
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pytest

SITE = Path(__file__).parents[2] / "build" / "site"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
PHONE, DESK = {"width": 360, "height": 740}, {"width": 1280, "height": 900}
PAGES = sorted(path.parent.relative_to(SITE).as_posix() for path in SITE.rglob("index.html"))
WRITTEN = [page for page in PAGES if not page.startswith(("decisions/0", "files/", "problems/DS", "reasons/"))]
MADE = ["problems/DS366", "reasons/QuotaExceeded", "files/values-examples/minimal.yaml", "files/CHANGELOG"]
SOUGHT = {
    "wandb": "recipes",
    "mlflow": "recipes",
    "elastic": "recipes",
    "spot": "recipes",
    "sops": "secrets",
    "cost": "recipes",
    "hugging face": "programs",
    "flight recorder": "recipes",
    "QuotaExceeded": "reasons/QuotaExceeded",
    "DS366": "problems/DS366",
}
"""What is searched for -> a page among the first five."""
CUT = """what => what ? [...document.querySelectorAll(what)].filter(one => one.scrollWidth > one.clientWidth + 1)
    .map(one => one.innerText.slice(0, 80)) : []"""
"""The code on a desk, and the keys on a phone, of which one has to scroll to see the whole line."""
RESULT = "a.md-search-result__link"


class Handler(SimpleHTTPRequestHandler):
    """Serves files, without a line for each."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (its name there)
        pass


class Links(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, _tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {key: value for key, value in attrs if value}
        self.links += [given[key] for key in ("href", "src") if key in given]
        self.anchors |= {given[key] for key in ("id", "name") if key in given}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where the site is served."""
    assert (SITE / "index.html").exists(), "make docs has not run"
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=SITE)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A headless Chromium, that of the machine."""
    from playwright.sync_api import sync_playwright

    program = os.environ.get("DSGEN_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    assert program, "no Chromium: apt-get install chromium, or name one in DSGEN_CHROMIUM"
    with sync_playwright() as playwright:
        rights = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=program, args=rights)
        yield browser
        browser.close()


@pytest.fixture
def complaints() -> list[str]:
    """What a page has complained about: errors on the console, exceptions, requests without an answer or elsewhere."""
    return []


@pytest.fixture
def opened(browser: Any, address: str, complaints: list[str]) -> Iterator[Any]:
    """A function that opens a page of the site in a window of a size and with a colour scheme."""
    contexts: list[Any] = []
    own = (address, "data:", "blob:")

    def open_page(page: str, size: dict[str, int], scheme: str) -> Any:
        context = browser.new_context(viewport=size, color_scheme=scheme)
        contexts.append(context)
        tab = context.new_page()
        tab.on("console", lambda said: complaints.extend([said.text] * (said.type in ("error", "warning"))))
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        tab.on("requestfailed", lambda request: complaints.append(f"failed: {request.url}"))
        tab.on("request", lambda request: complaints.extend([request.url] * (not request.url.startswith(own))))
        tab.goto(urljoin(address, f"{page}/" if page != "." else ""), wait_until="load")
        return tab

    yield open_page
    for context in contexts:
        context.close()


@pytest.mark.parametrize("page", WRITTEN + MADE)
@pytest.mark.parametrize(("size", "scheme"), [(PHONE, "dark"), (DESK, "light")], ids=["phone-dark", "desk-light"])
def test_a_page_is_shown_without_a_complaint(
    opened: Any, complaints: list[str], page: str, size: dict[str, int], scheme: str
) -> None:
    tab = opened(page, size, scheme)

    assert [] == complaints
    assert tab.inner_text("article h1")
    assert size["width"] == tab.evaluate("document.documentElement.scrollWidth")
    assert [] == tab.evaluate(
        CUT, "article pre > code" if size == DESK else "article .md-typeset__table" * (page == "options")
    )
    assert {"dark": "slate", "light": "default"}[scheme] == tab.get_attribute("body", "data-md-color-scheme")


@pytest.mark.parametrize(("words", "page"), SOUGHT.items())
def test_a_search_finds_the_page(opened: Any, complaints: list[str], words: str, page: str) -> None:
    tab = opened(".", DESK, "light")
    tab.click("input.md-search__input")
    tab.wait_for_function("!document.querySelector('.md-search-result__meta').innerText.includes('Initializing')")
    tab.keyboard.insert_text(words)
    tab.keyboard.press("End")  # begins the search
    tab.wait_for_selector(RESULT)
    found = [urlsplit(result.get_attribute("href")).path.strip("/") for result in tab.query_selector_all(RESULT)]

    assert page in list(dict.fromkeys(found))[:5]
    assert [] == complaints


def test_pictures_are_shown(opened: Any) -> None:
    tab = opened(".", DESK, "light")

    assert [] == tab.evaluate("[...document.images].filter(image => !image.naturalWidth).map(image => image.src)")
    assert tab.evaluate("document.images.length") > 0


def test_every_link_leads_to_a_page_and_its_heading(address: str) -> None:
    pages = {urljoin(address, f"{page}/" if page != "." else ""): Links() for page in PAGES}
    for url, links in pages.items():
        links.feed(_got(url).decode())
    wanted = {(url, urljoin(url, link)) for url, links in pages.items() for link in links.links}
    local = [(url, *urldefrag(link)) for url, link in sorted(wanted) if link.startswith(address)]

    for target in {target for _, target, _ in local}:
        _got(target)
    assert len(local) > 10_000
    assert [] == [
        (url, target, anchor)
        for url, target, anchor in local
        if anchor and target in pages and unquote(anchor) not in pages[target].anchors
    ]


def test_links_to_other_servers_are_safe() -> None:
    links = Links()
    for page in SITE.rglob("*.html"):
        links.feed(page.read_text(encoding="utf-8"))

    assert {"https"} >= {urlsplit(link).scheme for link in links.links} - {"", "mailto"}


def _got(url: str) -> bytes:
    """What the server answers with 200."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc)
    connection.request("GET", parts.path)
    answer = connection.getresponse()
    assert answer.status == 200, url
    body = answer.read()
    connection.close()
    return body
