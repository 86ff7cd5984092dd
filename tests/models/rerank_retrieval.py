# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Retrieval in two stages: the nearest of a corpus by a product, a second look at these together with the question, and those
that are left in the order of the second look."""
import numpy as np

from graph import FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 1, "blocking_syncs": 0}
WIDTH, NEAREST, BEST = 12, 16, 5


def build():
    g = Graph("rerank_retrieval")
    weights = random("rerank_retrieval weights")
    g.input("question", FLOAT, [1, WIDTH])
    g.input("corpus", FLOAT, ["documents", WIDTH])
    size = g.op("Shape", "corpus", start=0, end=1)
    near = g.op("Reshape", g.op("MatMul", "corpus", g.op("Transpose", "question", perm=[1, 0])), g.const([-1]))
    _, ids = g.op("TopK", near, g.op("Min", size, g.const([NEAREST])), out=2)
    documents = g.op("Gather", "corpus", ids)
    pairs = g.op("Concat", documents, g.op("Expand", "question", g.op("Shape", documents)), g.op("Mul", documents, "question"), axis=1)
    hidden = g.op("Gelu", g.op("MatMul", pairs, g.const(normal(weights, 3 * WIDTH, 10, scale=0.3))))
    second = g.op("Reshape", g.op("Sigmoid", g.op("MatMul", hidden, g.const(normal(weights, 10, 1)))), g.const([-1]))
    good = g.op("Greater", second, g.const(0.4))
    scores, kept = g.op("Compress", second, good), g.op("Compress", ids, good)
    best, order = g.op("TopK", scores, g.op("Min", g.op("Shape", scores), g.const([BEST])), out=2)
    g.output(g.op("Identity", best, out="scores"), FLOAT, [None])
    g.output(g.op("Gather", kept, order, out="ids"), INT64, [None])
    g.output(g.op("Gather", "corpus", g.op("Gather", kept, order), out="found"), FLOAT, [None, WIDTH])
    return g.model()


def cases():
    rng = random("rerank_retrieval data")
    for documents in (100, 3, 16, 40):
        yield Case({"question": normal(rng, 1, WIDTH), "corpus": normal(rng, documents, WIDTH)})
