"""A corpus of one's own: plain text, a MediaWiki dump or CoNLL-U in, sixteen fair parts and a compiled Corpus out.

    name, parse = spacy_parser("en_core_web_sm")
    corpus = build("dump.xml.bz2", "mine", parse, parser=name)

The text is cleaned, split, parsed, filtered and dealt as our Wikipedia was. Documents stream: about a million
characters are parsed at a time and written as a piece beside the folder. A run that is interrupted reads its text
again, but parses no piece twice. A parser is a function from texts to the sentences of each; `spacy_parser` gives one.
"""

import gzip
import hashlib
import json
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np
from tqdm import tqdm

from cdsm_lib import storage
from cdsm_lib.cache import code_of
from cdsm_lib.tables import DAMAGED, DECOMPRESS, TaskError, no_file, numbered_lines, path_of
from cdsm_lib.text.corpus import Corpus, Sentence, Token, compile_corpus, open_corpus, read_conllu
from cdsm_lib.text.gensim_text import articles

Parser = Callable[[Iterable[str]], Iterable[Iterable[Sentence]]]
"""From texts to the sentences of each."""

PARTS = 16
BLOCK = 200
"""Neighbouring sentences that go into the same part; fewer in a small corpus."""
PIECE = 1_000_000
"""Characters of text, or of the forms of CoNLL-U, that are parsed and kept at a time."""
LONGEST_TEXT = 100_000
"""Characters of a text that a parser gets; a longer paragraph is cut after a sentence, or at a space."""
ABOUT = "about.json"
SHORTEST, LONGEST, NAMES = 6, 50, 0.38
"""Of a sentence: fewest and most tokens, and the largest share of names, numbers, symbols and punctuation."""
REMEDY = "make corpus reads UTF-8 text (.txt, wiki_00), MediaWiki dumps (.xml), CoNLL-U (.conllu), also .gz, .bz2, .xz"

_UNSEEN = dict.fromkeys([0xAD, *range(0x200B, 0x2010), 0x2060, 0xFEFF])  # soft hyphen, zero width, byte order mark
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")
_DOCUMENT = re.compile(r"</?doc\b[^<>]*>")  # between the articles of WikiExtractor
_NO_TEXT = re.compile(r'\s*(\[?\{"\w+":|<!doctype|<html|<\?xml|\{\\rtf|%PDF-)', re.IGNORECASE)
_CLOSED = re.compile(r"[.!?][\"')\]”’]*$")
_CLOSING = tuple(".!?\"')]”’")
_INFINITE = ("VB", "VBG", "VBN", "TO")


# ------------------------------------------------------------------------------------------------ reading and cleaning


def clean(text: str) -> str:
    """A text in composed letters (NFC), with single spaces and nothing that cannot be seen.

    >>> clean("a\\u00a0 soft\\u00adened\\tword\\n")
    'a softened word'
    """
    return " ".join(_CONTROL.sub(" ", unicodedata.normalize("NFC", text).translate(_UNSEEN)).split())


def sources(path: str | os.PathLike) -> list[Path]:
    """The file of this path, or all files of a folder and those below that can be read, by name; no hidden ones.

    A `TaskError` if there are none, or the file is of another kind.
    """
    path = path_of(path)
    if not path.exists():
        raise TaskError(path, None, f"{no_file(path)}: make corpus TEXT=...")
    files = sorted(file for file in (path.rglob("*") if path.is_dir() else [path]) if _kind(file))
    files = [file for file in files if "/." not in f"/{file.relative_to(path)}" or file == path]
    if not files:
        raise TaskError(path, None, f"nothing {'in this folder' if path.is_dir() else 'here'} can be read; {REMEDY}")
    return files


def _kind(path: Path) -> str:
    name = Path(path.stem if path.suffix.lower() in DECOMPRESS else path.name)
    suffix = ".txt" if re.fullmatch("wiki_[0-9]+", name.name) else name.suffix.lower()
    return suffix if suffix in (".txt", ".xml", ".conllu") and path.is_file() else ""


def read(path: str | os.PathLike) -> Iterator[str | Sentence]:
    """The paragraphs of a text or a dump, cleaned, or the sentences of a CoNLL-U file, one by one.

    In plain text a paragraph ends at an empty line, and where a line ends as a sentence does; one of more than
    `LONGEST_TEXT` characters comes in pieces. What cannot be read is a `TaskError` with its file and line.
    """
    path = path_of(path)
    if _kind(path) == ".conllu":
        yield from read_conllu(path)
    else:
        paragraphs = chain.from_iterable(articles(path)) if _kind(path) == ".xml" else _paragraphs(path)
        yield from filter(None, chain.from_iterable(map(_pieces, map(clean, paragraphs))))


def _paragraphs(path: Path) -> Iterator[str]:
    lines: list[str] = []
    for number, line in numbered_lines(path):
        if number == 1 and (other := _NO_TEXT.match(line)):
            raise TaskError(path, 1, f"it begins with {other[0]}, as JSON, HTML or PDF does; save it as plain text")
        lines.append("" if _DOCUMENT.fullmatch(line.strip()) else line.strip())
        if not lines[-1] or _CLOSED.search(lines[-1]) or sum(map(len, lines)) > PIECE:
            yield " ".join(lines)
            lines = []
    yield " ".join(lines)


def _pieces(text: str) -> Iterator[str]:
    """A cleaned text in pieces that a parser takes."""
    start = 0
    while len(text) - start > LONGEST_TEXT:
        end = start + LONGEST_TEXT
        cut = max(text.rfind(mark, start, end) for mark in (". ", "! ", "? "))
        cut = (cut if cut >= 0 else text.rfind(" ", start, end)) + 1
        yield text[start : cut or end].rstrip()
        start = cut or end
    yield text[start:].lstrip()


# ------------------------------------------------------------------------------------------------------------- filter


def rejected(sentence: Sentence) -> str:
    """Why a sentence is no prose with a clause in it, as our Wikipedia was filtered; empty if it is kept.

    Kept are 6 to 50 tokens with a noun and a finite verb or an auxiliary, at most 38% of them proper nouns, numbers,
    symbols and punctuation, with one root and closing punctuation. Without features and Penn tags every verb passes as
    finite.
    """
    n, tags = len(sentence), [token.upos for token in sentence]
    reasons = {
        f"not of {SHORTEST} to {LONGEST} tokens": not SHORTEST <= n <= LONGEST,
        "more than one root": sum(token.head == 0 for token in sentence) != 1,
        "no closing punctuation": not sentence.tokens[-1].form.endswith(_CLOSING),
        "no noun": "NOUN" not in tags,
        "no finite verb or auxiliary": not any(map(_finite, sentence)),
        "mostly names and numbers": sum(tag in ("PROPN", "NUM", "SYM", "PUNCT") for tag in tags) > NAMES * n,
    }
    return next((reason for reason, applies in reasons.items() if applies), "")


def _finite(token: Token) -> bool:
    if "VerbForm=" in token.feats and token.upos == "VERB":
        return "VerbForm=Fin" in token.feats
    return token.upos == "AUX" or (token.upos == "VERB" and token.xpos not in _INFINITE)


# ------------------------------------------------------------------------------------------------------------ pipeline


def build(
    text: str | os.PathLike,
    folder: str | os.PathLike,
    parse: Parser,
    *,
    parser: str,
) -> Corpus:
    """Make a corpus: clean, split, parse, filter, deal into parts, compile.

    In the folder there are then ``part-00.conllu.gz`` to ``part-15.conllu.gz``, each a fair sixteenth,
    ``compiled`` and ``about.json``, which says what came from where and how many sentences were left out, and why.
    The same text and parser give the same bytes, interrupted or not.

    Raises `TaskError` as `read`; if the folder holds anything else, or fewer sentences than parts are left.

    Parameters
    ----------
    text : path
        A file or a folder, as `sources` and `read` take them.
    folder : path
        New or empty, or what an earlier run with the same text and parser made: that is opened.
    parse : Parser
        Called with the texts of a piece; not for CoNLL-U.
    parser : str
        What identifies it: its name and versions.
    """
    paths, folder = sources(text), path_of(folder).resolve()
    files = _stamps(paths)
    key = _digest(json.dumps([files, parser, code_of(__name__)]))
    with storage.alone(folder.with_name(f".{folder.name}.lock"), "waiting: another process makes this corpus"):
        if not _stands(folder, key):
            scratch = folder.with_name(f"{folder.name}.pieces")
            scratch.mkdir(parents=True, exist_ok=True)
            batches = enumerate(tqdm(_batches(paths), desc="parse", unit="piece", disable=None))
            pieces = [_piece(scratch, number, batch, parse, parser) for number, batch in batches]
            if _stamps(paths) != files:
                raise TaskError(text, None, "the text was changed while it was read; give the same command again")
            with storage.whole_folder(folder) as making:
                about = {"key": key, "parser": parser, **_deal(pieces, making, folder)}
                (making / ABOUT).write_text(json.dumps(about, indent=1), "utf-8")
            for piece in pieces:
                piece.unlink()
            with suppress(OSError):  # pieces of other text stand there
                scratch.rmdir()
    try:
        return open_corpus(folder / "compiled")
    except ValueError:
        return compile_corpus(sorted(folder.glob("part-*.conllu.gz")), folder / "compiled")


def _stamps(paths: Iterable[Path]) -> list[list]:
    """What shows that a file has been changed."""
    return [[str(path.resolve()), path.stat().st_size, path.stat().st_mtime_ns] for path in paths]


def _stands(folder: Path, key: str) -> bool:
    """Whether the parts stand in the folder; a `TaskError` if it holds anything else."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return False
    with suppress(OSError, ValueError, LookupError, TypeError):
        if json.loads((folder / ABOUT).read_text("utf-8"))["key"] == key:
            return True
    problem = "what stands here is no corpus of make corpus, or one of other text, of another parser or of other code"
    raise TaskError(folder, None, f"{problem}, and is not written over; remove it, or choose another place: TO=...")


def _batches(paths: Iterable[Path]) -> Iterator[list]:
    """Neighbouring texts or sentences, about `PIECE` characters at a time."""
    batch, size = [], 0
    for item in chain.from_iterable(map(read, paths)):
        if batch and (size >= PIECE or type(item) is not type(batch[0])):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += len(item) if isinstance(item, str) else sum(len(token.form) for token in item)
    if batch:
        yield batch


def _piece(folder: Path, number: int, batch: list, parse: Parser, parser: str) -> Path:
    """The file of a parsed and filtered batch, made if it is not there whole: how many were left out, the sentences."""
    is_text = isinstance(batch[0], str)
    content = "\n".join(batch if is_text else map(_rows, batch))
    path = folder / f"{number:06}-{_digest(content + parser + code_of(__name__))[:16]}.json.gz"
    try:
        _load(path)
    except (*DAMAGED, OSError, ValueError):
        sentences = filter(len, chain.from_iterable(parse(batch)) if is_text else batch)
        reasons = [(rejected(sentence) or "kept", sentence) for sentence in sentences]
        rows = [_rows(sentence) for reason, sentence in reasons if reason == "kept"]
        counts = {"parsed": len(reasons), **Counter(reason for reason, _ in reasons)}
        with storage.whole_file(path, "wb") as file:
            file.write(gzip.compress(json.dumps([counts, rows]).encode()))
    return path


def _load(piece: Path) -> tuple[dict[str, int], list[str]]:
    return json.loads(gzip.decompress(piece.read_bytes()))


def _rows(sentence: Sentence) -> str:
    """CoNLL-U of a sentence, with the columns that our Wikipedia has."""
    return Sentence(tuple(replace(token, xpos="_", feats="_", misc="_", deps="_") for token in sentence)).conllu()


def _deal(pieces: list[Path], making: Path, folder: Path) -> dict[str, int]:
    """Deal the sentences, repeats left out, in blocks to the parts in turn; how many were left out and dealt."""
    about, seen = Counter(), set()
    for piece in pieces:
        about.update(_load(piece)[0])
    block = int(np.clip(about["kept"] // (8 * PARTS), 1, BLOCK))
    with ExitStack() as stack:
        places = [making / f"part-{number:02}.conllu.gz" for number in range(PARTS)]
        parts = [stack.enter_context(gzip.GzipFile(place, "wb", mtime=0)) for place in places]
        for rows in chain.from_iterable(_load(piece)[1] for piece in pieces):
            forms = "\t".join(row.split("\t", 2)[1] for row in rows[:-2].split("\n"))
            mark = hashlib.blake2b(forms.encode(), digest_size=8).digest()  # all that grows: some 80 bytes a sentence
            if mark not in seen:
                parts[len(seen) // block % PARTS].write(rows.encode())
                seen.add(mark)
    if len(seen) < PARTS:
        out = ", ".join(f"{n} {reason}" for reason, n in about.items() if reason not in ("parsed", "kept"))
        left = f"{len(seen)} different sentences are left of {about['parsed']}{out and f' (left out: {out})'}"
        problem = f"{left}, too few for {PARTS} parts; take more text, or other"
        raise TaskError(folder, None, problem)
    return {**about, "repeated": about["kept"] - len(seen), "sentences": len(seen), "block": block}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


# --------------------------------------------------------------------------------------------------------------- spaCy


def spacy_parser(model: str, processes: int = 1) -> tuple[str, Parser]:
    """A parser with a model of spaCy (extra ``parse``): its name with the versions, and the function.

    `model` is an installed model such as "en_core_web_sm", or the folder of one; so many `processes` parse side by
    side. A `TaskError` if spaCy or the model is not installed, or the model gives no trees, tags or lemmas.
    """
    try:
        import spacy
    except ImportError:
        problem = "text is parsed with spaCy: python -m pip install 'spacy>=3.8' (in .venv); CoNLL-U is read without it"
        raise TaskError(None, None, problem) from None
    try:
        nlp = spacy.load(model, exclude=["ner", "textcat"])
    except (OSError, ValueError) as error:
        problem = f"MODEL={model} cannot be loaded ({error}); install it: python -m spacy download {model}"
        raise TaskError(None, None, problem) from None
    probe = list(nlp("The dog sees a cat."))
    if all(token.head.i == token.i for token in probe) or not all(token.pos_ and token.lemma_ for token in probe):
        problem = "gives no trees, universal tags or lemmas; take a model with a parser, such as en_core_web_sm"
        raise TaskError(None, None, f"MODEL={model} {problem}")

    def parse(texts: Iterable[str]) -> Iterator[list[Sentence]]:
        for doc in nlp.pipe(texts, batch_size=64, n_process=processes):
            yield [_of_spacy(span) for span in doc.sents]

    return f"{nlp.meta['lang']}_{nlp.meta['name']} {nlp.meta['version']}, spaCy {spacy.__version__}", parse


def _of_spacy(span: Iterable) -> Sentence:
    """A sentence of spaCy's tokens that are not spaces; a head outside of them makes a root."""
    tokens = [token for token in span if not token.is_space]
    place = {token.i: number for number, token in enumerate(tokens, 1)}
    heads = [0 if token.head.i == token.i else place.get(token.head.i, 0) for token in tokens]
    return Sentence(
        tuple(
            Token(number, token.text, token.lemma_.lower(), token.pos_, token.tag_ or "_", str(token.morph) or "_",
                  head, token.dep_ if head else "root", "_", "_")
            for number, (token, head) in enumerate(zip(tokens, heads, strict=True), 1)
        )
    )  # fmt: skip
