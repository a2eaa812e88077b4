"""Nothing of a dataset's items may stand in the project: its files as git tracks them are searched for RELPRON's."""

import re
import subprocess

import pytest

from cdsm_lib.tasks import relpron

SPAN = 5  # words after *that* in which verb and argument may stand, in any order and inflected


def tracked_texts(root):
    names = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True).stdout.split(b"\0")
    for name in filter(None, names):
        path = root / name.decode()
        if path.is_file() and path.suffix not in (".npz", ".png", ".svg") and b"\0" not in (raw := path.read_bytes()):
            yield path.relative_to(root), raw.decode("utf-8")


def quoted_items(text: str, items) -> set[str]:
    """Items of which head noun, *that*, verb and argument stand together, whatever their order and inflection."""
    words = re.findall(r"[a-z]+", re.sub(r"_[nv]\b", "", text.lower()))
    by_head = {}
    for item in items:
        by_head.setdefault(item.head, []).append(item)
    found = set()
    for i, word in enumerate(words[1:], 1):
        if word in ("that", "who", "which") and (head := words[i - 1]) in by_head:
            after = words[i + 1 : i + 1 + SPAN]
            for item in by_head[head]:
                stems = [part[: max(3, len(part) - 1)] for part in (item.verb, item.argument)]
                if all(any(w.startswith(stem) for w in after) for stem in stems):
                    found.add(str(item))
    return found


@pytest.mark.mirror
def test_no_item_of_relpron_stands_in_a_tracked_file(mirror, root):
    items = [item for split in ("dev", "test") for item in relpron.load("relpron", split).items]
    hits = {str(path): found for path, text in tracked_texts(root) if (found := quoted_items(text, items))}
    assert not hits, hits


def test_a_quoted_item_is_found():
    item = relpron.Property("cannon", "weapon", "SBJ", "replace", "trebuchet")
    assert quoted_items("a weapon that replaces the trebuchets", [item])
    assert quoted_items("SBJ cannon_N: weapon_N that replace_V trebuchet_N", [item])
    assert not quoted_items("a weapon that replaces the catapult", [item])
