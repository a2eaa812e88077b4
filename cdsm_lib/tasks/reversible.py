"""Reversible RELPRON: given a term, which of two properties of the same three words describes it?

Of *thing that creates a current* and *thing that a current creates* the first describes a *generator*, the second a
*field*. Addition and multiplication give both the same vector, so that a tie counts half and they are at .5 *by
construction*: what is above it knows who does what to whom. (Rimell et al. 2016, section 3, have properties of both
kinds, but hardly one that becomes another term's when its roles are exchanged.)

Items are those of `cdsm_lib.tasks.relpron`, properties that are true of their term. For each verb and argument as many
terms are described by the subject property as by the object property: a system that prefers one of the two, whatever
the term, is at .5 too.

Metrics
-------
- accuracy: the share of items whose property is more similar to the term than the same with its roles exchanged.
- couples: the share of couples of terms, one of either function of the same verb and argument, to which the two
  properties are more similar, in sum, as they belong to them than exchanged. A system that prefers one function, and
  knows roles all the same, is above .5 here alone.

Items of the same verb and argument are drawn together.
"""

from collections import Counter
from dataclasses import replace

import numpy as np

from cdsm_lib.tasks import relpron
from cdsm_lib.tasks.relpron import RelPron
from cdsm_lib.tasks.task import Measure, Task, together

OTHER = {"SBJ": "OBJ", "OBJ": "SBJ"}


def with_exchanged(items: RelPron) -> RelPron:
    """The n properties and after them the same n with subject and object exchanged, which are false of their terms.

    >>> items = (relpron.Property("coil", "thing", "SBJ", "create", "current"),)
    >>> print(*with_exchanged(RelPron(items)).items, sep="; ")
    coil: thing that create current; coil: thing that current create
    """
    exchanged = (replace(item, function=OTHER[item.function]) for item in items.items)
    return replace(items, items=(*items.items, *exchanged))


def accuracy(right: np.ndarray, wrong: np.ndarray) -> np.ndarray:
    """Credit for each item, float64 [n]: 1 where the right similarity is higher, 1/2 where both are equal or NaN.

    >>> accuracy(np.array([0.3, 0.2, 0.1, np.nan]), np.array([0.1, 0.2, 0.3, np.nan]))
    array([1. , 0.5, 0. , 0.5])
    """
    return (1 + np.sign(np.nan_to_num(right, nan=-2.0) - np.nan_to_num(wrong, nan=-2.0))) / 2


def couples(items: RelPron) -> np.ndarray:
    """The number of each item's couple, int64 [n]: the first two of a verb and argument, one of either function; and
    so on.
    """
    before, numbers = Counter(), []
    for item in items.items:
        numbers.append(f"{item.verb} {item.argument} {before[item.verb, item.argument, item.function]}")
        before[item.verb, item.argument, item.function] += 1
    return together(numbers)


def task(items: RelPron) -> Task:
    """Each term with its property, n pairs, and then with the property exchanged, n more."""
    every, couple = relpron.task(with_exchanged(items)), couples(items)

    def in_couples(similarity: np.ndarray) -> np.ndarray:
        right, wrong = (np.bincount(couple, np.nan_to_num(half)) for half in np.split(similarity, 2))
        return accuracy(right, wrong)[couple]

    by_item = Measure(lambda similarity: accuracy(*np.split(similarity, 2)))
    return replace(
        every, name="reversible RELPRON", pairs=places(items) + [0, len(items.terms)], items=len(items),
        measures={"accuracy": by_item, "couples": Measure(in_couples)}, labels={}, chance=0.5,
        units=together(f"{item.verb} {item.argument}" for item in items.items),
    )  # fmt: skip


def places(items: RelPron) -> np.ndarray:
    """Of each pair of the task its term and its property among those of `with_exchanged`: int64 [2 n, 2].

    >>> places(RelPron((relpron.Property("coil", "thing", "SBJ", "create", "current"),)))
    array([[0, 0],
           [0, 1]])
    """
    term_of = np.tile([items.terms.index(item.term) for item in items.items], 2)
    return np.stack([term_of, np.arange(2 * len(items))], axis=1)
