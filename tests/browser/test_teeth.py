"""Each check of a page fails on a page that is wrong in just that way, and passes on one that is right."""

import pytest

from . import checks
from .conftest import opened

pytestmark = pytest.mark.browser

GOOD = """<!DOCTYPE html><html lang="en" data-theme="light"><head><title>A page</title><style>
body {{ background: #fff; color: #222; }} a:focus {{ outline: 2px solid; }}
@media print {{ .headerlink, .skip-link {{ display: none; }} }} {style}
</style></head><body><nav aria-label="Top"><div class="skip-link"><a href="#main-content">Skip</a></div></nav>
<main id="main-content" class="bd-main"><article class="bd-article"><h1>A page</h1><h2 id="part">A part</h2>
<p>Some text with a <a href="#part">link</a>.</p>{body}</article></main></body></html>"""

DOT = (
    "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='80' height='80'>"
    "<rect width='80' height='80' fill='{ground}'/><rect x='20' y='20' width='40' height='40' fill='{ink}'/></svg>"
)
FIGURE = '<div class="cell_output"><img alt="a dot" src="' + DOT + '"></div>'

WRONG = {  # check: what is added to the good page, as style and body
    "math_problems": [
        ("", '<span class="math">\\(x\\)</span>'),
        ("", '<span class="math"><mjx-container>x</mjx-container></span>'),
        ("", "<mjx-merror>Undefined control sequence</mjx-merror>"),
        ("", "<p>$$x$$</p>"),
    ],
    "image_problems": [
        ("", f'<img alt="" src="{DOT.format(ground="red", ink="blue")}">'),
        ("", '<img alt="a" src="data:,">'),
    ],
    "overflow_problems": [("", '<p style="width: 600px">Wide</p>')],
    "scrolling_problems": [("", '<div style="overflow-x: auto"><p style="width: 600px">Wide</p></div>')],
}
RIGHT = FIGURE.format(ground="none", ink="black") + (
    '<div style="overflow-x: auto" tabindex="0" role="region" aria-label="Wide"><p style="width: 500px">Wide</p></div>'
)


def page_of(folder, style: str, body: str) -> str:
    path = folder / "page.html"
    path.write_text(GOOD.format(style=style, body=body), "utf8")
    return path.as_uri()


@pytest.mark.parametrize("name", WRONG)
def test_a_right_page_passes(chromium, tmp_path, name):
    with opened(chromium, page_of(tmp_path, "", RIGHT)) as seen:
        assert getattr(checks, name)(seen.page) == []


@pytest.mark.parametrize(("name", "number"), [(name, i) for name in WRONG for i in range(len(WRONG[name]))])
def test_a_wrong_page_fails(chromium, tmp_path, name, number):
    with opened(chromium, page_of(tmp_path, *WRONG[name][number])) as seen:
        assert getattr(checks, name)(seen.page) != []


@pytest.mark.parametrize(
    ("style", "body"),
    [
        ("img { background: #fff; }", ""),
        ("img { filter: invert(1) hue-rotate(180deg); }", ""),
        ("", '<a class="headerlink" style="display: inline !important" href="#main-content">#</a>'),
    ],
)
def test_a_page_that_looks_wrong_fails(chromium, tmp_path, style, body):
    with opened(chromium, page_of(tmp_path, "", RIGHT)) as seen:
        assert checks.look_problems(seen.page, "light") == []
        assert "the theme is light" in checks.look_problems(seen.page, "dark")
    with opened(chromium, page_of(tmp_path, style, RIGHT + body)) as seen:
        assert len(checks.look_problems(seen.page, "light")) == 1


def test_what_a_page_asks_of_others_and_misses_is_recorded(chromium, tmp_path):
    body = '<img alt="a" src="https://example.org/a.png"><img alt="b" src="missing.png"><script>nothing()</script>'
    with opened(chromium, page_of(tmp_path, "", body)) as seen:
        assert seen.requests == ["https://example.org/a.png"]
        assert any("missing.png" in error for error in seen.errors)
        assert any("nothing is not defined" in error for error in seen.errors)
