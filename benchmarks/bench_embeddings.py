"""Skip-gram: the library's kernel beside gensim's Word2Vec (one worker), on the same synthetic, seeded text.

Both take the settings of the paper (Rimell et al. 2016, 5.1.3: 100 dimensions, a window of 10, 10 negatives,
sub-sampling 1e-4). Ours shares the negatives of a target among its contexts, gensim draws them for each pair. Compiling
the kernels and reading the text are left out.
"""

import numpy as np
import synthetic
from gensim.models import Word2Vec
from measure import SMOKE, contest

from cdsm_lib.text.corpus import Corpus
from cdsm_lib.vectors.embeddings import train_words


def ours(corpus: Corpus) -> None:
    words = [word for word, count in zip(corpus.words, corpus.word_counts, strict=True) if count]
    train_words(corpus, words, dimensions=100, window=10, negatives=10, subsample=1e-4, epochs=1, seed=0)


tokens, size = (50_000, 1_000) if SMOKE else (2_000_000, 30_000)
corpus = synthetic.corpus(tokens, size)
sentences = [[corpus.words[word] for word in words] for words in np.split(corpus.word, corpus.offsets[1:-1])]
model = Word2Vec(
    vector_size=100, window=10, negative=10, sample=1e-4, min_count=1, sg=1, workers=1, epochs=1, seed=0
)  # fmt: skip
model.build_vocab(sentences)
ours(synthetic.corpus(1000, 100))  # compile before the clock starts
contest(
    f"Skip-gram, {tokens:,} tokens, {size:,} words",
    {
        "ours, 20 draws": lambda: ours(corpus),
        "gensim": lambda: model.train(sentences, total_examples=len(sentences), epochs=1),
    },
)
