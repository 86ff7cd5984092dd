# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts of n-grams of integers and of words, with and without skips and weights; rows that are shorter than an n-gram,
and none."""
import numpy as np
from graph import FLOAT, INT32, INT64, STRING, Case, Graph, random

POOL = [2, 3, 5, 4, 5, 6, 7, 8, 6, 7, 3, 4, 5, 5, 5, 5]
COUNTS, INDEXES = [0, 4, 10], [0, 1, 2, 3, 4, 5, 6, 7, 8]
WORDS = ["a", "b", "a", "b", "b", "a", "b", "b"]


def build():
    g = Graph("ngrams")
    g.input("tokens", INT64, ["N", "C"])
    g.input("row", INT32, ["C"])
    g.input("words", STRING, ["N", "D"])

    def count(out, x, dims, **attributes):
        g.output(g.op("TfIdfVectorizer", x, out=out, **attributes), FLOAT, dims)

    pool = {"pool_int64s": POOL, "ngram_counts": COUNTS, "ngram_indexes": INDEXES}
    weights = [float(weight) for weight in np.linspace(0.5, 4, 9)]
    for name, mode, least, most, skips in (("all", "TF", 1, 3, 0), ("skipping", "TF", 1, 3, 5), ("pairs", "IDF", 2, 2, 1),
                                           ("weighted", "TFIDF", 1, 2, 0), ("threes", "TF", 3, 3, 2)):
        given = {} if mode == "TF" else {"weights": weights}
        count(name, "tokens", ["N", 9], mode=mode, min_gram_length=least, max_gram_length=most, max_skip_count=skips,
              **pool, **given)
    count("one_row", "row", [9], mode="TF", min_gram_length=1, max_gram_length=3, max_skip_count=1, **pool)
    count("of_words", "words", ["N", 4], mode="TF", min_gram_length=1, max_gram_length=2, max_skip_count=1,
          pool_strings=WORDS, ngram_counts=[0, 2], ngram_indexes=[3, 1, 0, 2, 0])
    return g.model(opset=21)


def cases():
    rng = random("ngrams data")
    for rows, columns, words in ((2, 12, 5), (1, 1, 1), (5, 3, 2), (3, 40, 9)):
        yield Case({"tokens": rng.integers(2, 9, (rows, columns)), "row": rng.integers(2, 9, columns).astype(np.int32),
                    "words": rng.choice(["a", "b", "c"], (rows, words)).astype(object)})
