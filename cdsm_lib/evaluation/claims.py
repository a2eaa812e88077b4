"""Claims across chapters: what their evidence consists of, why some do not hold, and how many items would settle them.

A claim's evidence is text (see `cdsm_lib.evaluation.results`), written by the functions that give verdicts.
:func:`parts` reads it
back into its tests, with the numbers as they stand there, three decimals. What is said here about power rests on the
interval of a test: its half width is 1.96 standard errors if the estimate is about normal, and a standard error
shrinks with the square root of the number of items.
"""

import html
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from cdsm_lib import datasets
from cdsm_lib.evaluation.results import ABSENT, VERDICTS, Claim, Ledger, claim_anchor

PAPERS = {
    "cheung2012": "Cheung & Penn 2012",
    "white2015": "White 2015",
    "rimell2016": "Rimell et al. 2016",
    "kober2017": "Kober et al. 2017",
    "buljan2018": "Buljan et al. 2018",
}
"""The papers in the order of the book."""

NOTEBOOKS = {
    "relation_classification": "10-relation-classification",
    "question_answering": "11-question-answering",
    "localisation": "20-sentence-localisation",
    "relpron": "30-relpron",
    "phrase_similarity": "40-phrase-similarity",
    "sense_discrimination": "41-sense-discrimination",
    "lexical_substitution": "50-lexical-substitution",
    "leaderboard": "90-leaderboard",
}
"""Where a chapter's claims are computed."""

BEYOND = "Beyond the paper"
"""How the text of a claim begins that no paper makes."""

SAME, REBUILT, REPLACED = "the paper's", "rebuilt", "other data"

DATA = {
    "relation_classification": (REPLACED, "Banko and Etzioni's sentences, labelled by us, for Bunescu and Mooney's"),
    "question_answering": (REPLACED, "questions generated from GENIA's trees for Poon and Domingos's"),
    "localisation": (SAME, "MSRPC, altered by the paper's rules"),
    "relpron": (SAME, "RELPRON"),
    "phrase_similarity": (SAME, "Mitchell and Lapata's ratings"),
    "sense_discrimination": (REPLACED, "SemCor and WordNet's examples for those of two dictionaries"),
    "lexical_substitution": (REBUILT, "ANVAN-LS, made again from CoInCo by the paper's rules"),
}
"""Is the full profile's data set the paper's? With what it is."""

NORMAL_95 = 1.959964
NORMAL_POWER_80 = 0.841621

_NUMBER = r"[+-]?\d+(?:\.\d+)?(?:e-?\d+)?"
_COMPARED = re.compile(
    rf"(?P<a>.+?) (?P<x>{_NUMBER}), (?P<b>.+) (?P<y>{_NUMBER}); "
    rf"difference (?P<value>{_NUMBER}) \[(?P<low>{_NUMBER}), (?P<high>{_NUMBER})\]"
    rf"(?: against a margin of (?P<margin>{_NUMBER}))?"
    rf"(?:, equal up to (?P<equal>{_NUMBER}))?(?:, p (?P<sign>[=<]) (?P<p>\d*\.\d+))?"
    r", (?P<n>\d+)(?: and (?P<m>\d+))? (?P<what>.+)"
)
_RANGED = re.compile(
    rf"(?P<a>.+) (?P<value>{_NUMBER}) \[(?P<low>{_NUMBER}), (?P<high>{_NUMBER})\], "
    rf"claimed range (?P<least>{_NUMBER}) to (?P<most>{_NUMBER}), (?P<n>\d+) (?P<what>items)"
)


@dataclass(frozen=True)
class Part:
    """One test of a claim.

    Parameters
    ----------
    kind : {"greater", "resampled", "equivalent", "within"}
        Which function of `cdsm_lib.evaluation.results` made it.
    verdict : {"holds", "fails", "undecided"}
    names : tuple of str
        The two systems, or the one whose figure is to lie in a range.
    values : tuple of float
        Their figures.
    value, low, high : float
        The difference of the two, or the figure, with its 95% interval.
    bounds : tuple of float
        What the interval is held against: the margin (0 if there is none), or both ends of a range.
    p : float or None
        Of the permutation test; an upper bound where the evidence says "p <".
    n : tuple of int
        Items, or resamples.
    text : str
        As in the evidence, without its verdict.
    """

    kind: str
    verdict: str
    names: tuple[str, ...]
    values: tuple[float, ...]
    value: float
    low: float
    high: float
    bounds: tuple[float, ...]
    p: float | None
    n: tuple[int, ...]
    text: str

    @property
    def standard_error(self) -> float:
        """Half the interval's width, in units of 1.96."""
        return (self.high - self.low) / 2 / NORMAL_95

    @property
    def distance(self) -> float:
        """From the figure to the nearest bound: what the test has to tell from 0."""
        return min(abs(self.value - bound) for bound in self.bounds)

    @property
    def visible(self) -> float:
        """The distance from a bound that as many items show in four of five samples (80% power, normal)."""
        return (NORMAL_95 + NORMAL_POWER_80) * self.standard_error

    @property
    def times(self) -> float:
        """How many times as many items show *this* distance in four of five samples; infinite for a distance of 0."""
        return (self.visible / self.distance) ** 2 if self.distance else float("inf")


def parts(claim: Claim) -> list[Part]:
    """The tests that a claim's evidence lists.

    Raises
    ------
    ValueError
        Naming the claim, if its evidence is not as the functions of `cdsm_lib.evaluation.results` write it.
    """
    pieces = re.split(r"; (?=\((?:holds|fails|undecided)\) )", claim.evidence)
    found = []
    for piece in pieces:
        marked = re.match(r"\((holds|fails|undecided)\) ", piece)
        verdict, text = (marked[1], piece[marked.end() :]) if marked else (claim.verdict, piece)
        if hit := _RANGED.fullmatch(text):
            kind, bounds = "within", (float(hit["least"]), float(hit["most"]))
            names, values, p = (hit["a"],), (float(hit["value"]),), None
        elif hit := _COMPARED.fullmatch(text):
            names, values = (hit["a"], hit["b"]), (float(hit["x"]), float(hit["y"]))
            p = float(hit["p"]) if hit["p"] else None
            if hit["equal"]:
                kind, bounds = "equivalent", (-float(hit["equal"]), float(hit["equal"]))
            else:
                kind, bounds = "greater" if hit["p"] else "resampled", (float(hit["margin"] or 0),)
        else:
            raise ValueError(f"claim {claim.id!r}: its evidence {text[:80]!r} is not of a form that is known")
        n = tuple(int(hit[name]) for name in ("n", "m") if hit.groupdict().get(name))
        low, value, high = (float(hit[name]) for name in ("low", "value", "high"))
        found.append(Part(kind, verdict, names, values, value, low, high, bounds, p, n, text))
    return found


def by_means(claim: Claim) -> str:
    """The verdict that the figures alone would give, without any test: *holds* or *fails*.

    "A is better" if its figure is higher (by more than the margin), "A matches B" and "about x" if the difference or
    the figure lies in the range.
    """
    met = [
        part.value > part.bounds[0] if len(part.bounds) == 1 else part.bounds[0] <= part.value <= part.bounds[1]
        for part in parts(claim)
    ]
    return "holds" if all(met) else "fails"


def published_difference(part: Part, ledger: Ledger) -> float | None:
    """The difference of the paper's two figures, for a part that compares two systems whose figures it prints.

    A name stands for a result of the ledger if the system is the same and its value is that of the evidence. None if a
    name has no result with a published figure, or several with different ones.
    """
    if len(part.names) != 2:
        return None
    found = []
    for name, value in zip(part.names, part.values, strict=True):
        system = name.partition(" (")[0]
        figures = {
            r.published for r in ledger.find(system=system) if r.published is not None and abs(r.value - value) <= 6e-4
        }
        if len(figures) != 1:
            return None
        found.append(figures.pop())
    return found[0] - found[1]


def reason(part: Part, ledger: Ledger) -> str:
    """Why a part does not hold, as far as its numbers tell.

    Returns
    -------
    str
        Empty for a part that holds. For one that fails: whether on the paper's data. For an undecided one, what the
        number of items has to do with it: the interval is wider than the claimed range; or the paper's own difference
        is smaller than what so many items show; or it is larger, so that the difference is smaller here than there; or
        the paper prints no figures to measure by.
    """
    if part.verdict == "holds":
        return ""
    if part.verdict == "fails":
        return {SAME: "against it, on the paper's data", REBUILT: "against it, on data made like the paper's"}.get(
            DATA[ledger.chapter][0], "against it, on other data"
        )
    if len(part.bounds) == 2:
        wide = part.high - part.low > part.bounds[1] - part.bounds[0]
        return "the interval is wider than the range" if wide else "near an end of the range"
    there = published_difference(part, ledger)
    if there is None:
        return "no published figures to measure by"
    if abs(there - part.bounds[0]) < part.visible:
        return "too few items even for the paper's difference"
    other_way = (there - part.bounds[0]) * (part.value - part.bounds[0]) < 0
    return "the paper's difference would have shown" + ("; ours points the other way" if other_way else "")


# ---------------------------------------------------------------------------------------------------------------------
# All claims


@dataclass(frozen=True)
class Entry:
    """A claim with what the two profiles say.

    Parameters
    ----------
    ledger : Ledger
        That of the full profile.
    claim : Claim
        Of the full profile.
    sample : Claim or None
    """

    ledger: Ledger
    claim: Claim
    sample: Claim | None

    @property
    def beyond(self) -> bool:
        """Whether no paper makes it."""
        return self.ledger.paper not in PAPERS or self.claim.text.startswith(BEYOND)

    @property
    def address(self) -> str:
        """The claim's row in the built book, seen from another chapter."""
        return f"{NOTEBOOKS[self.ledger.chapter]}.html#{claim_anchor(self.ledger.chapter, self.claim.id)}"


def ledgers(profile: str = "full") -> dict[str, Ledger]:
    """All committed ledgers of a profile by chapter, in the order of the book.

    Raises
    ------
    LedgerError
        If a file is no ledger.
    """
    found = [Ledger.read(path) for path in sorted((datasets.data_root() / "results" / profile).glob("*.json"))]
    order = list(NOTEBOOKS)
    found.sort(key=lambda ledger: order.index(ledger.chapter) if ledger.chapter in order else len(order))
    return {ledger.chapter: ledger for ledger in found}


def entries(full: Mapping[str, Ledger], sample: Mapping[str, Ledger]) -> list[Entry]:
    """Every claim of the full profile with its counterpart in the sample profile."""
    small = {(name, claim.id): claim for name, ledger in sample.items() for claim in ledger.claims}
    return [
        Entry(ledger, claim, small.get((name, claim.id))) for name, ledger in full.items() for claim in ledger.claims
    ]


def count(found: Iterable[Entry]) -> dict[str, int]:
    """How many hold, fail and are undecided."""
    verdicts = [entry.claim.verdict for entry in found]
    return {verdict: verdicts.count(verdict) for verdict in VERDICTS}


@dataclass(frozen=True)
class Listing:
    """Claims as a table that a notebook shows: each links to the row that computed it in the built book.

    The evidence of a claim of several parts is folded away.

    Parameters
    ----------
    entries : tuple of Entry
    caption : str
    """

    entries: tuple[Entry, ...]
    caption: str

    COLUMNS = (("claim", 32), ("full", 12), ("sample", 12), ("published, and ours", 44))
    COLOURS = {"holds": "#0072B2", "undecided": "#E69F00", "fails": "#D55E00"}

    def _evidence(self, claim: Claim) -> str:
        tested = re.split(r"; (?=\((?:holds|fails|undecided)\) )", claim.evidence)
        if len(tested) == 1:
            return f"Ours: {html.escape(claim.evidence)}"
        verdicts = [re.match(r"\((\w+)\)", text)[1] for text in tested]
        counted = ", ".join(f"{verdicts.count(v)} {v}" for v in VERDICTS if v in verdicts)
        items = "".join(f"<li>{html.escape(text)}</li>" for text in tested)
        return f"<details><summary>Ours, {len(tested)} parts: {counted}</summary><ul>{items}</ul></details>"

    def _repr_html_(self) -> str:
        rows = []
        for entry in self.entries:
            anchor = claim_anchor(entry.ledger.chapter, entry.claim.id)
            edge = f"border-left: 0.3rem solid {self.COLOURS[entry.claim.verdict]}"
            published = f"<div>Published: {html.escape(entry.claim.published)}</div>" if entry.claim.published else ""
            link = f'<a href="{html.escape(entry.address)}">{html.escape(entry.claim.text)}</a>'
            rows.append(
                f'<tr id="all-{anchor}"><th scope="row" style="font-weight: normal">{link}</th>'
                f'<td style="{edge}"><strong>{entry.claim.verdict}</strong></td>'
                f"<td>{entry.sample.verdict if entry.sample else ABSENT}</td>"
                f"<td>{published}{self._evidence(entry.claim)}</td></tr>"
            )
        head = "".join(f'<th scope="col" style="width: {width}%">{name}</th>' for name, width in self.COLUMNS)
        body = "\n".join(rows)
        return (
            f'<table class="table" style="min-width: 38rem"><caption>{html.escape(self.caption)}</caption>\n'
            f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table>"
        )

    def __repr__(self) -> str:
        lines = [
            f"- {e.claim.text} Published: {e.claim.published or ABSENT}. Full: {e.claim.verdict}: {e.claim.evidence}. "
            f"Sample: {e.sample.verdict if e.sample else ABSENT}. Computed in {e.address}"
            for e in self.entries
        ]
        return "\n".join([self.caption, *lines])
