# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Words recognised in a stream: frames that came are written into a ring of the last second, which is read from where it
begins; the ring and the place go from call to call."""
import numpy as np

from graph import FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 0, "h2d": 0, "blocking_syncs": 0}
RING, BANDS, WORDS = 24, 6, 4


def build():
    g = Graph("keyword_spotting")
    weights = random("keyword_spotting weights")
    g.input("frames", FLOAT, ["new", BANDS])
    g.input("ring", FLOAT, [RING, BANDS])
    g.input("place", INT64, [1])
    new = g.op("Shape", "frames", start=0, end=1)
    steps = g.op("Range", g.const(np.int64(0)), g.op("Squeeze", new), g.const(np.int64(1)))
    at = g.op("Mod", g.op("Add", "place", steps), g.const([RING]))
    ring = g.op("ScatterND", "ring", g.op("Unsqueeze", at, g.const([1])), "frames", out="next_ring")
    place = g.op("Mod", g.op("Add", "place", new), g.const([RING]), out="next_place")
    order = g.op("Mod", g.op("Add", place, g.const(np.arange(RING))), g.const([RING]))
    heard = g.op("Transpose", g.op("Unsqueeze", g.op("Gather", ring, order), g.const([0])), perm=[0, 2, 1])
    features = g.op("Relu", g.op("Conv", heard, g.const(normal(weights, 8, BANDS, 5, scale=0.3)), strides=[2]))
    sequence = g.op("Transpose", features, perm=[2, 0, 1])
    _, state = g.op("GRU", sequence, g.const(normal(weights, 1, 15, 8, scale=0.4)), g.const(normal(weights, 1, 15, 5, scale=0.4)),
                    out=2, hidden_size=5)
    logits = g.op("MatMul", g.op("Reshape", state, g.const([1, 5])), g.const(normal(weights, 5, WORDS)))
    g.output(g.op("Softmax", logits, out="words"), FLOAT, [1, WORDS])
    g.output(ring, FLOAT, [RING, BANDS])
    g.output(place, INT64, [1])
    return g.model()


def cases(run):
    rng = random("keyword_spotting data")
    ring, place = np.zeros((RING, BANDS), np.float32), np.array([0], np.int64)
    for new in (10, 10, 1, 24, 7):
        inputs = {"frames": normal(rng, new, BANDS), "ring": ring, "place": place}
        yield Case(inputs)
        _, ring, place = run(inputs)
