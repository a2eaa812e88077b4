"""The page on clusters shows every row that was measured, and curves that go through them."""

import json

import prose
import pytest
import yaml

from book._ext import scale

RECORD = [*map(json.loads, (prose.ROOT / "benchmarks" / "record.jsonl").read_text("utf8").splitlines())]
COUNTED = [of for of in RECORD if "scale" in of]


@pytest.fixture(scope="module")
def page() -> str:
    return scale.pages(prose.ROOT, "sample", ())["generated/scale.md"]


@pytest.mark.parametrize("contest", COUNTED, ids=lambda contest: contest["title"])
def test_every_row_is_shown(page, contest):
    rows = contest["scale"]
    part = page.partition(f"**{rows[0]['task'].capitalize()}**")[2].partition("**")[0]
    assert len({row["tokens"] for row in rows}) == 4 and len({row["workers"] for row in rows}) > 1
    for row in rows:
        assert f"| {row['tokens']:,} | {row['workers']} | {row['seconds']:.1f} | {row['work']:.1f} |" in part
    assert rows[-1]["found"] == rows[-2]["found"] and "tokens{sup}" in part


def test_memory_of_training_is_shown(page):
    trees = [of["title"] for of in RECORD if of.get("title", "").startswith("Over dependencies")]
    titles = ["Skip-gram, one epoch, tokens", *trees, "SVD of a matrix on disk, cells"]
    assert len(titles) == 4 and all(f"**{title}**" in page for title in titles)
    assert "mapped files do not count" in page.partition("SVD of a matrix")[2]


def test_curves_by_hand():
    rows = [{"tokens": n, "workers": w, "work": 2 + 3 * n / w + n / 2} for n in (1, 4, 16) for w in (1, 2)]
    assert scale.curve(rows) == pytest.approx((2, 3, 0.5)) and scale.speed_up(rows, "work") == (
        2,
        pytest.approx(58 / 34),
    )
    rows = [row | {"moved": row["workers"] * row["tokens"] ** 0.5} for row in rows]
    assert scale.power(rows, "moved") == pytest.approx((2, 0.5))  # of two workers
    assert [scale.duration(n) for n in (0.2, 90, 7200, 86_400)] == ["0 seconds", "2 minutes", "2 hours", "1 day"]


def test_the_page_stands_beside_the_guides():
    guides = next(
        part for part in yaml.safe_load((prose.ROOT / "_toc.yml").read_text())["parts"] if "yours" in part["caption"]
    )
    files = [chapter["file"] for chapter in guides["chapters"]]
    assert files.index("book/guides/beyond-one-machine") == files.index("book/guides/own-corpus") + 1
