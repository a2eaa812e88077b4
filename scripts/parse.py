"""Parse what stands on standard input with an old spaCy, in an environment of its own: see `derive` beside it.

Each line is JSON, a text or the list of its tokens; a line of JSON comes back for it, with a list for each token:
form, lemma, universal tag, Penn tag, head, label, begin and end in the text. It needs nothing else of ours.
"""

import json
import sys


def tokens(doc) -> list[list]:
    """The tokens of a document without white space, and their heads numbered accordingly."""
    words = [token for token in doc if not token.is_space]
    place = {token.i: number for number, token in enumerate(words, 1)}
    rows = []
    for token in words:
        lemma = token.lower_ if token.lemma_ == "-PRON-" else token.lemma_.lower()
        head = 0 if token.head.i == token.i else place.get(token.head.i, 0)
        label = token.dep_ if head else "root"
        rows.append([token.text, lemma, token.pos_, token.tag_, head, label, token.idx, token.idx + len(token)])
    return rows


def main() -> None:
    """Parse with the model of a folder, the first argument."""
    import spacy
    from spacy.tokens import Doc

    nlp = spacy.load(sys.argv[1], disable=["ner", "textcat"])
    texts = [json.loads(line) for line in sys.stdin]
    if texts and isinstance(texts[0], str):
        docs = nlp.pipe(texts, batch_size=128)
    else:
        docs = (Doc(nlp.vocab, words=words) for words in texts)
        for _, part in nlp.pipeline:
            docs = map(part, docs)
    for doc in docs:
        print(json.dumps(tokens(doc)), flush=True)


if __name__ == "__main__":
    main()
