"""Claims as a reader sees them: a line each, with its verdict and one effect; the evidence unfolds with a click.

claim_anchor          the id by which other pages link to a claim
telling               the one of a claim's tests that stands for it
corrected             what the verdicts of a chapter become when its tests are corrected for their number
told                  how many verdicts there are of each kind, in words
Line                  a claim, and what each of several runs says of it
Listing               lines under a caption; ``book/assets/claims.js`` lets readers filter those of several papers
of_chapter            the claims of a chapter on the full data and in this run
"""

import html
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from cdsm_lib.display import ABSENT
from cdsm_lib.evaluation.results import VERDICTS, Claim, Results
from cdsm_lib.evaluation.significance import holm
from cdsm_lib.evaluation.verdicts import Test, by_way

COLOURS = {"holds": "#0072B2", "undecided": "#E69F00", "fails": "#D55E00"}


def claim_anchor(chapter: str, id: str) -> str:
    """The id by which a page may link to a claim's line in its chapter: lower case, no signs.

    Examples
    --------
    >>> claim_anchor("sense_discrimination", "E&P-beats-addition")
    'claim-sense-discrimination-e-p-beats-addition'
    """
    return re.sub(r"[^a-z0-9]+", "-", f"claim-{chapter}-{id}".lower())


def telling(claim: Claim) -> Test:
    """Of the tests with the claim's verdict the nearest to another one; of a claim that fails, the clearest.

    Nearness is the number of items that it would take to show the difference (`Test.times`).
    """
    agreeing = [test for test in claim.evidence if test.verdict == claim.verdict] or list(claim.evidence)
    measured = [test for test in agreeing if test.value is not None]
    nearest = min if claim.verdict == "fails" else max
    return nearest(measured, key=lambda test: test.times) if measured else agreeing[0]


def corrected(claims: Iterable[Claim]) -> dict[str, str]:
    """What Holm's correction over these claims (`significance.holm`) leaves of each that is decided, by its id.

    A claim whose corrected p (`_p_of`) is not below .05 becomes undecided; what is only stated stays.
    """
    claims = list(claims)
    p = {claim.id: value for claim in claims if (value := _p_of(claim)) is not None}
    after = dict(zip(p, holm(list(p.values())), strict=True))
    decided = (claim for claim in claims if claim.verdict != "undecided")
    return {claim.id: claim.verdict if after.get(claim.id, 0) < 0.05 else "undecided" for claim in decided}


def _p_of(claim: Claim) -> float | None:
    """p of a claim: all parts of one that holds must do so, so it is their largest (`Test.probability`); one part is
    enough to fail, so it is the smallest of those that do, times the number of parts, in the way of testing where that
    is largest. 1 if undecided."""
    if claim.verdict == "undecided":
        return 1.0
    parts = [(test.probability, test) for test in claim.evidence]
    if any(p is None for p, _ in parts):
        return None
    if claim.verdict == "holds":
        return max(p for p, _ in parts)
    smallest = []
    for way in by_way(claim.evidence):
        tested = [(p, test.verdict) for p, test in parts if set(test.by) <= set(way)]
        smallest.append(min(p for p, verdict in tested if verdict == "fails") * len(tested))
    return min(1.0, max(smallest))


@dataclass(frozen=True)
class Line:
    """A claim, and what each of several runs says of it.

    Parameters
    ----------
    anchor : str
        The id of the line in the page.
    runs : mapping of str to Claim or None
        By the name of the run. The verdict that counts is that of the first run that has the claim.
    remarks : tuple of str
        Sentences below the evidence.
    address : str
        Where the claim is computed, if it is another page.
    paper : str
        By which readers may filter.
    after : str, optional
        The verdict after Holm's correction; of a claim that is decided.
    """

    anchor: str
    runs: Mapping[str, Claim | None]
    remarks: tuple[str, ...] = ()
    address: str = ""
    paper: str = ""
    after: str | None = None

    @property
    def claim(self) -> Claim:
        """That of the first run that has it."""
        return next(claim for claim in self.runs.values() if claim)

    def html(self) -> str:
        """As an element that unfolds."""
        claim, (_, *others) = self.claim, self.runs.items()
        edge = f"border-left: 0.3rem solid {COLOURS[claim.verdict]}; padding-left: 0.4rem"
        beside = [f"{name}: {answer.verdict if answer else ABSENT}" for name, answer in others]
        beside = ", ".join([*beside, *([f"after Holm: {self.after}"] if self.after else [])])
        summary = (
            f'<span class="claim-text">{html.escape(claim.text)}</span> '
            f'<strong class="claim-verdict" style="{edge}">{claim.verdict}</strong> '
            f'<span class="claim-effect">{telling(claim).effect}</span> <span class="claim-beside">{beside}</span>'
        )
        paragraphs = [f"<p>Published: {html.escape(claim.published)}</p>"] if claim.published else []
        paragraphs += [_evidence(name, answer) for name, answer in self.runs.items() if answer]
        paragraphs += [f"<p>{html.escape(remark)}</p>" for remark in self.remarks]
        if self.address:
            paragraphs.append(f'<p><a href="{html.escape(self.address)}">Where this is computed</a></p>')
        about = f'id="{self.anchor}" data-verdict="{claim.verdict}" data-paper="{html.escape(self.paper)}"'
        return f'<details class="claim" {about}><summary>{summary}</summary>\n{"".join(paragraphs)}</details>'

    def __str__(self) -> str:
        runs = self.runs.items()
        said = [f"{name}: {run.verdict}: {run.evidence}." if run else f"{name}: {ABSENT}." for name, run in runs]
        remarks = [f"After Holm: {self.after}."] if self.after else []
        remarks += [*self.remarks, *([f"Computed in {self.address}"] if self.address else [])]
        return " ".join([f"- {self.claim.text} Published: {self.claim.published or ABSENT}.", *said, *remarks])


def told(verdicts: Iterable[str]) -> str:
    """How many hold, fail and are undecided, in words.

    >>> told(["holds", "fails", "undecided", "holds"])
    '2 hold, 1 fails and 1 is undecided'
    """
    words = {"holds": ("holds", "hold"), "fails": ("fails", "fail"), "undecided": ("is undecided", "are undecided")}
    times = Counter(verdicts)
    parts = [f"{times[verdict]} {words[verdict][times[verdict] > 1]}" for verdict in VERDICTS if verdict in times]
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def _evidence(name: str, claim: Claim) -> str:
    """What one run says: its verdict, how many parts agree with it, and each of them."""
    counted = told(test.verdict for test in claim.evidence)
    parts = f" ({len(claim.evidence)} parts: {counted})" if len(claim.evidence) > 1 else ""
    lines = (f"{test.verdict}: {test}" if parts else str(test) for test in claim.evidence)
    items = "".join(f"<li>{html.escape(line)}</li>" for line in lines)
    return f"<p>{html.escape(name)}: <strong>{claim.verdict}</strong>{parts}</p><ul>{items}</ul>"


@dataclass(frozen=True)
class Listing:
    """Claims that a notebook shows, a line each.

    Parameters
    ----------
    lines : tuple of Line
    caption : str
    folded : bool
        Whether the lines unfold below the caption, which then counts the verdicts.
    """

    lines: tuple[Line, ...]
    caption: str = ""
    folded: bool = False

    def _repr_html_(self) -> str:
        lines = "\n".join(line.html() for line in self.lines)
        caption = html.escape(self.caption)
        if self.folded:
            counted = told(line.claim.verdict for line in self.lines)
            return f'<details class="claims"><summary>{caption}: {counted}</summary>\n{lines}</details>'
        return f'<div class="claims">{f"<p>{caption}</p>" if caption else ""}\n{lines}</div>'

    def __repr__(self) -> str:
        return "\n".join(filter(None, [self.caption, *map(str, self.lines)]))


def of_chapter(full: Results | None, this_run: Results, caption: str = "") -> Listing:
    """Every claim of a chapter on the full data and in this run; other pages link to one by its `claim_anchor`."""
    runs = {"full": full, "this run": this_run} if full else {"this run": this_run}
    by_id: dict[str, dict[str, Claim | None]] = defaultdict(lambda: dict.fromkeys(runs))
    for name, results in runs.items():
        for claim in results.claims:
            by_id[claim.id][name] = claim
    anchor, after = partial(claim_anchor, this_run.chapter), corrected((full or this_run).claims)
    return Listing(tuple(Line(anchor(id), claims, after=after.get(id)) for id, claims in by_id.items()), caption)
