# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A step of sampling: temperature, the smallest set of tokens whose probabilities sum up to p, and one of them by a number
that the caller draws, per sentence of a batch."""
import numpy as np

from graph import BOOL, FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 0, "h2d": 0, "blocking_syncs": 0}


def build():
    g = Graph("top_p_sampling")
    g.input("logits", FLOAT, ["batch", "vocabulary"])
    g.input("temperature", FLOAT, [])
    g.input("p", FLOAT, ["batch"])
    g.input("drawn", FLOAT, ["batch"])
    size = g.op("Shape", "logits", start=1, end=2)
    scaled = g.op("Div", "logits", g.op("Max", "temperature", g.const(0.01)))
    best, ids = g.op("TopK", scaled, size, out=2)
    likely = g.op("Softmax", best)
    total = g.op("CumSum", likely, g.const(np.int64(1)))
    # The first that reaches p is kept too.
    kept = g.op("Less", g.op("Sub", total, likely), g.op("Unsqueeze", "p", g.const([1])))
    left = g.op("Where", kept, likely, g.const(0.0))
    share = g.op("CumSum", g.op("Div", left, g.op("ReduceSum", left, g.const([1]))), g.const(np.int64(1)))
    passed = g.op("Less", share, g.op("Unsqueeze", "drawn", g.const([1])))
    place = g.op("Sub", g.op("ReduceSum", g.op("Cast", g.op("Or", passed, g.op("Not", kept)), to=INT64), g.const([1])),
                 g.op("ReduceSum", g.op("Cast", g.op("Not", kept), to=INT64), g.const([1])))
    last = g.op("Sub", g.op("ReduceSum", g.op("Cast", kept, to=INT64), g.const([1])), g.const([1]))
    place = g.op("Min", place, last)
    g.output(g.op("Squeeze", g.op("GatherElements", ids, place, axis=1), g.const([1]), out="token"), INT64, ["batch"])
    g.output(g.op("Squeeze", g.op("GatherElements", likely, place, axis=1), g.const([1]), out="probability"), FLOAT, ["batch"])
    g.output(g.op("Cast", kept, out="kept", to=BOOL), BOOL, ["batch", "vocabulary"])
    return g.model()


def cases():
    rng = random("top_p_sampling data")
    for batch, vocabulary, temperature in [(1, 50, 1.0), (4, 7, 0.5), (3, 300, 2.0), (2, 1, 1.0)]:
        yield Case({"logits": normal(rng, batch, vocabulary, scale=2), "temperature": np.array(temperature, np.float32),
                    "p": rng.uniform(0.3, 0.95, batch).astype(np.float32),
                    "drawn": rng.uniform(0.05, 0.9, batch).astype(np.float32)})
