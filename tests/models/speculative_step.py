# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A speculative step of a decoder: as many tokens of a draft are taken as the model agrees with, and one more, and both caches are
cut back to them. All ends follow from one number that the device alone knows."""
import numpy as np

from graph import FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 1, "blocking_syncs": 0}
HIDDEN, WORDS = 8, 5


def build():
    g = Graph("speculative_step")
    weights = random("speculative_step weights")
    g.input("draft", INT64, ["k"])
    g.input("hidden", FLOAT, ["m", HIDDEN])
    for cache in ("keys", "values"):
        g.input(cache, FLOAT, [2, "past", 4])
    best = g.op("ArgMax", g.op("MatMul", "hidden", g.const(normal(weights, HIDDEN, WORDS))), axis=1, keepdims=0)
    drafted = g.op("Shape", "draft")
    differs = g.op("Not", g.op("Equal", "draft", g.op("Slice", best, g.const([0]), drafted, g.const([0]))))
    missed = g.op("CumSum", g.op("Cast", differs, to=INT64), g.const(0))
    agreed = g.op("ReduceSum", g.op("Cast", g.op("Equal", missed, g.const(0)), to=INT64), keepdims=1)
    taken = g.op("Slice", best, g.const([0]), g.op("Add", agreed, g.const([1])), g.const([0]))
    g.output(g.op("Identity", taken, out="tokens"), INT64, [None])
    for cache in ("keys", "values"):
        kept = g.op("Add", g.op("Sub", g.op("Shape", cache, start=1, end=2), drafted), agreed)
        g.output(g.op("Slice", cache, g.const([0]), kept, g.const([1]), out=f"{cache}_kept"), FLOAT, [2, None, 4])
    return g.model()


def cases():
    rng = random("speculative_step data")
    for drafted, past in ((4, 9), (1, 3), (7, 20), (5, 5)):
        draft = rng.integers(0, WORDS, drafted).astype(np.int64)
        hidden = normal(rng, drafted + 1, HIDDEN)
        yield Case({"draft": draft, "hidden": hidden, "keys": normal(rng, 2, past, 4), "values": normal(rng, 2, past, 4)})
    # A draft that is agreed with.
    yield Case({"draft": np.zeros(6, np.int64), "hidden": np.zeros((7, HIDDEN), np.float32), "keys": normal(rng, 2, 8, 4),
                "values": normal(rng, 2, 8, 4)})
