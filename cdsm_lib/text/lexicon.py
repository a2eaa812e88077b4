"""What the corpus construction of White (2015) asks of WordNet and of SCOWL, from the databases or from an excerpt.

`WordNetLexicon` asks WordNet 3.0 through NLTK and SCOWL's list of British words. `Excerpt` answers the same questions
from a file that holds the answers for a given set of sentences, so that a teaching set needs neither database. Both
are `Lexicon`: the construction cannot tell them apart.

Fellbaum, editor (1998). WordNet: An Electronic Lexical Database. MIT Press.
Atkinson (2020). SCOWL: Spell Checker Oriented Word Lists, version 2020.12.07.
"""

import json
import os
from collections.abc import Sequence, Set
from dataclasses import astuple, dataclass, field
from functools import cache, cached_property
from itertools import starmap
from pathlib import Path

from cdsm_lib import datasets
from cdsm_lib.storage import whole_file
from cdsm_lib.text import wordnet

FORMAT = "cdsm-facts-1"
LETTERS = {"noun": "n", "verb": "v"}
SCOWL = "british-english-insane"


class LexiconError(ValueError):
    """An excerpt cannot be used; the message names it, the problem and the remedy."""


@dataclass(frozen=True)
class Sense:
    """One sense of a word.

    Parameters
    ----------
    name : str
        Of the synset, as NLTK names it: ``union.n.01``.
    count : int
        How often SemCor has the word in this sense (WordNet's ``cntlist``).
    lemmas : tuple of str
        The words of the synset in its order, multi-word ones joined by ``_``.
    antonyms : tuple of (str, str)
        Each a word of the synset and its antonym: antonymy holds between words, not between synsets.
    total : int
        How often SemCor has any word of the synset.
    """

    name: str
    count: int
    lemmas: tuple[str, ...]
    antonyms: tuple[tuple[str, str], ...] = ()
    total: int = 0


def _sense(name: str, count: int, lemmas: list[str], antonyms: list[list[str]], total: int) -> Sense:
    """A sense as JSON holds it; `TypeError` or `ValueError` if it holds none."""
    return Sense(name, int(count), tuple(lemmas), tuple((word, other) for word, other in antonyms), int(total))


class WordNetLexicon:
    """WordNet 3.0 and SCOWL's list; a `DataError` at the first question if one of the two is missing.

    Words are asked for as ``"noun"`` or ``"verb"``.
    """

    @cached_property
    def forms(self) -> frozenset[str]:
        """SCOWL's words."""
        text = datasets.fetch("scowl")[SCOWL].read_text(encoding="utf-8")
        return frozenset(text.split("\n")) - {""}

    @staticmethod
    @cache
    def lemma(form: str, kind: str) -> str | None:
        """The dictionary form of a word (*morphy*), None if WordNet knows none."""
        return wordnet.reader().morphy(form.lower(), LETTERS[kind])

    @staticmethod
    @cache
    def senses(lemma: str, kind: str) -> tuple[Sense, ...]:
        """The senses of a lemma in WordNet's order; each word is looked up once in a process."""
        senses: dict[str, Sense] = {}
        for entry in wordnet.reader().lemmas(lemma, LETTERS[kind]):
            synset = entry.synset()
            name, before = synset.name(), senses.get(synset.name())
            count = max(entry.count(), before.count if before else 0)  # *Earth* and *earth* stand in one synset
            pairs = ((word.name(), other.name()) for word in synset.lemmas() for other in word.antonyms())
            total = sum(word.count() for word in synset.lemmas())
            senses[name] = Sense(name, count, tuple(synset.lemma_names()), tuple(pairs), total)
        return tuple(senses.values())

    def phrase(self, words: Sequence[str]) -> bool:
        """Whether the words, joined by ``_``, are in WordNet."""
        return bool(wordnet.reader().synsets("_".join(words)))

    def valid(self, form: str) -> bool:
        """Whether SCOWL lists the form."""
        return form in self.forms


@dataclass
class Excerpt:
    """Answers that a file holds, or that are gathered for one.

    Attributes
    ----------
    lemmas : dict of str to str or None
        Under ``form|kind``.
    senses_of : dict of str to tuple of Sense
        Under ``lemma|kind``.
    phrases, forms : set of str
        What is a phrase, and what SCOWL lists; everything else counts as neither.
    source : WordNetLexicon or Excerpt, optional
        What is asked where there is no answer here; its answers are kept.
    unknown : dict of str to int
        Words that have no answer, with how often they were asked for: the construction leaves them as they are.
    """

    lemmas: dict[str, str | None] = field(default_factory=dict)
    senses_of: dict[str, tuple[Sense, ...]] = field(default_factory=dict)
    phrases: Set[str] = field(default_factory=set)
    forms: Set[str] = field(default_factory=set)
    source: "Lexicon | None" = field(default=None, kw_only=True)
    unknown: dict[str, int] = field(default_factory=dict, kw_only=True)

    def lemma(self, form: str, kind: str) -> str | None:
        """The dictionary form, as `WordNetLexicon.lemma` has it."""
        return self._answer(self.lemmas, form.lower(), kind, "lemma", None)

    def senses(self, lemma: str, kind: str) -> tuple[Sense, ...]:
        """The senses of a lemma, as `WordNetLexicon.senses` has them."""
        return self._answer(self.senses_of, lemma, kind, "senses", ())

    def phrase(self, words: Sequence[str]) -> bool:
        """Whether the words are a phrase of WordNet."""
        if self.source and self.source.phrase(words):
            self.phrases.add("_".join(words))
        return "_".join(words) in self.phrases

    def valid(self, form: str) -> bool:
        """Whether SCOWL lists the form."""
        if self.source and self.source.valid(form):
            self.forms.add(form)
        return form in self.forms

    def _answer(self, table: dict, word: str, kind: str, question: str, nothing):
        key = f"{word}|{kind}"
        if self.source and key not in table:
            table[key] = getattr(self.source, question)(word, kind)
        if key not in table:
            self.unknown[key] = self.unknown.get(key, 0) + 1
        return table.get(key, nothing)

    def save(self, path: str | os.PathLike) -> None:
        """Write the answers as JSON, sorted, one to a line; the file is replaced whole or not at all."""
        senses = {key: list(map(astuple, answer)) for key, answer in self.senses_of.items()}
        parts = [f'"format": "{FORMAT}"']
        for key, table in (("lemmas", self.lemmas), ("senses", senses)):
            entries = [f"{json.dumps(name)}: {json.dumps(table[name])}" for name in sorted(table)]
            parts.append(f'"{key}": {{\n' + ",\n".join(entries) + "\n}")
        for key, names in (("phrases", self.phrases), ("forms", self.forms)):
            parts.append(f'"{key}": [\n' + ",\n".join(map(json.dumps, sorted(names))) + "\n]")
        with whole_file(path) as file:
            file.write("{" + ",\n".join(parts) + "}\n")

    @classmethod
    def load(cls, path: str | os.PathLike) -> "Excerpt":
        """Read what `save` wrote; a `LexiconError` if the file cannot be read, or is no excerpt."""
        try:
            record = json.loads(Path(path).read_bytes())
            if record["format"] != FORMAT:
                raise ValueError(f"format {record['format']!r}")
            senses = {key: tuple(starmap(_sense, entries)) for key, entries in record["senses"].items()}
            return cls(dict(record["lemmas"]), senses, set(record["phrases"]), set(record["forms"]))
        except (OSError, LookupError, ValueError, TypeError, AttributeError) as error:
            problem = f"no excerpt in the format {FORMAT} ({error})"
            raise LexiconError(f"{path}: {problem}; take the file from the project again") from None


Lexicon = WordNetLexicon | Excerpt
"""What answers the construction's questions."""
