"""Learning and composing with the Practical Lexical Function model, as ratios within one run, on seeded random data.

    python benchmarks/bench_practical.py            the sizes of the lexical substitution task
    python benchmarks/bench_practical.py --smoke    small, a second or two: does it run?

Learning stands beside a loop over scikit-learn's RidgeCV with the same penalties, which chooses them by leave-one-out
errors, of which generalised cross-validation is the rotation-invariant form. Composing stands beside a loop that
multiplies out every phrase by itself.
"""

import argparse
import warnings

import numpy as np
from bench_ridge import on_one_core
from measure import contest
from sklearn.linear_model import RidgeCV

from cdsm_lib.composition.linear import PENALTIES, EdgePenaltyWarning
from cdsm_lib.composition.practical import PracticalLexicalFunction
from cdsm_lib.vectors.space import Space
from cdsm_lib.vectors.weighting import normalise_rows


def world(matrices: int, bigrams: int, d: int, seed: int = 0):
    """Words, and bigrams to learn so many matrices from: a third adjectives', two thirds verbs', two to each verb.

    A bigram's vector is a matrix of its predicate's own times the noun's vector, plus noise.
    """
    rng = np.random.default_rng(seed)
    nouns = [f"n{i}|NOUN" for i in range(3 * bigrams)]
    adjectives = [f"a{i}|ADJ" for i in range(matrices // 3)]
    verbs = [f"v{i}|VERB" for i in range(matrices // 3)]
    labels = [*nouns, *adjectives, *verbs]
    words = Space(labels, rng.standard_normal((len(labels), d)) * rng.gamma(4, 1, (len(labels), 1)))
    unit = normalise_rows(words.vectors[: len(nouns)])

    def of(functors: list[str]):
        vectors, arguments = [], []
        for _ in functors:
            chosen = rng.choice(len(nouns), bigrams, replace=False)
            matrix = rng.standard_normal((d, d)) / np.sqrt(d)
            vectors.append(unit[chosen] @ matrix.T + 0.5 * rng.standard_normal((bigrams, d)) / np.sqrt(d))
            arguments += [nouns[i] for i in chosen]
        return [functor for functor in functors for _ in range(bigrams)], arguments, np.concatenate(vectors)

    kinds = {"adjective_noun": of(adjectives), "subject_verb": of(verbs), "verb_object": of(verbs)}
    return words, kinds, (adjectives, nouns, verbs)


def substituted(phrases: int, targets: int, adjectives, nouns, verbs, seed: int = 1) -> list[tuple[str, ...]]:
    """So many targets, each of them its phrase and four phrases in which another word stands at its place."""
    rng = np.random.default_rng(seed)
    pools = (adjectives, nouns, verbs, adjectives, nouns)
    originals = [tuple(pool[rng.integers(len(pool))] for pool in pools) for _ in range(phrases)]
    composed = []
    for target in range(targets):
        original, position = originals[target % phrases], int(rng.integers(5))
        composed.append(original)
        for _ in range(4):
            other = pools[position][rng.integers(len(pools[position]))]
            composed.append((*original[:position], other, *original[position + 1 :]))
    return composed


def bench_fit(words: Space, kinds: dict, repeats: int) -> PracticalLexicalFunction:
    unit = {word: vector for word, vector in zip(words.rows, normalise_rows(words.vectors), strict=True)}

    def loop() -> dict[tuple[str, str], RidgeCV]:
        fitted = {}
        for kind, (functors, arguments, vectors) in kinds.items():
            vectors, functors = normalise_rows(vectors), np.array(functors)
            X = np.array([unit[argument] for argument in arguments], dtype=np.float64)
            for functor in dict.fromkeys(functors.tolist()):
                rows = functors == functor
                fitted[kind, functor] = RidgeCV(alphas=PENALTIES, fit_intercept=False).fit(X[rows], vectors[rows])
        return fitted

    def learn() -> PracticalLexicalFunction:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EdgePenaltyWarning)
            return PracticalLexicalFunction().fit(words, kinds)

    ours, theirs = learn(), loop()
    gaps = []
    for (kind, functor), ridge in theirs.items():
        model = {"subject_verb": ours.verb_subject, "verb_object": ours.verb_object}.get(kind, ours.modifiers)
        place = model.functors.index(functor)
        if model.penalties[place] == ridge.alpha_:
            gaps.append(np.abs(model.matrices[place] - ridge.coef_).max())
    functors, _, vectors = kinds["verb_object"]
    contest(
        f"Learning {len(theirs)} matrices of {words.d} x {words.d} from {len(vectors) // len(set(functors))} bigrams "
        f"each, {len(PENALTIES)} penalties",
        {
            "PracticalLexicalFunction.fit, one core": on_one_core(learn),
            "PracticalLexicalFunction.fit": learn,
            "loop over scikit-learn's RidgeCV, one core": on_one_core(loop),
            "loop over scikit-learn's RidgeCV": loop,
        },
        repeats,
        f"both choose the same penalty for {len(gaps)}; largest difference there {max(gaps, default=np.nan):.0e}",
    )
    return ours


def bench_compose(model: PracticalLexicalFunction, words: Space, phrases: list[tuple[str, ...]], repeats: int) -> None:
    def loop() -> np.ndarray:
        A, Vs, Vo = model.modifiers, model.verb_subject, model.verb_object
        out = []
        for a1, n1, v, a2, n2 in phrases:
            S = A.compose(a1, words[n1])
            O = A.compose(a2, words[n2])  # noqa: E741
            out.append(Vs.compose(v, S) + Vo.compose(v, O) + words[v])
        return np.array(out)

    gap = np.abs(model.compose(phrases, rows=words) - loop()).max()
    contest(
        f"Composing {len(phrases)} phrases",
        {"compose": lambda: model.compose(phrases, rows=words), "one phrase after another": loop},
        repeats,
        f"largest difference {gap:.0e}",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="small sizes, one run each")
    smoke = parser.parse_args().smoke
    repeats = 1 if smoke else 3
    words, kinds, pools = world(*((12, 30, 20) if smoke else (300, 100, 300)))
    model = bench_fit(words, kinds, repeats)
    bench_compose(model, words, substituted(*((5, 20) if smoke else (165, 732)), *pools), repeats)


if __name__ == "__main__":
    main()
