# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A step of a tracker: how far boxes found in a frame overlap with those of tracks, pairs that are each other's best, tracks
that move on by what was found, and new tracks of boxes that belong to none."""
import numpy as np

from graph import BOOL, FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 1, "blocking_syncs": 0}


def area(g, boxes):
    low, high = (g.op("Slice", boxes, g.const([a]), g.const([a + 2]), g.const([-1])) for a in (0, 2))
    return g.op("ReduceProd", g.op("Sub", high, low), g.const([-1]), keepdims=0)


def overlap(g, a, b):
    """Intersection over union, [a, b]."""
    a3, b3 = g.op("Unsqueeze", a, g.const([1])), g.op("Unsqueeze", b, g.const([0]))
    low = g.op("Max", *(g.op("Slice", v, g.const([0]), g.const([2]), g.const([-1])) for v in (a3, b3)))
    high = g.op("Min", *(g.op("Slice", v, g.const([2]), g.const([4]), g.const([-1])) for v in (a3, b3)))
    common = g.op("ReduceProd", g.op("Max", g.op("Sub", high, low), g.const(0.0)), g.const([-1]), keepdims=0)
    both = g.op("Add", g.op("Unsqueeze", area(g, a), g.const([1])), g.op("Unsqueeze", area(g, b), g.const([0])))
    return g.op("Div", common, g.op("Sub", both, common))


def build():
    g = Graph("track_association")
    g.input("tracks", FLOAT, ["tracks", 4])
    g.input("speed", FLOAT, ["tracks", 4])
    g.input("found", FLOAT, ["found", 4])
    g.input("scores", FLOAT, ["found"])
    expected = g.op("Add", "tracks", "speed")
    cost = g.op("Mul", overlap(g, expected, "found"), g.op("Unsqueeze", "scores", g.const([0])))
    best = g.op("ArgMax", cost, axis=1, keepdims=0)  # [tracks]
    back = g.op("ArgMax", cost, axis=0, keepdims=0)  # [found]
    own = g.op("Range", g.const(np.int64(0)), g.op("Squeeze", g.op("Shape", "tracks", start=0, end=1)), g.const(np.int64(1)))
    mutual = g.op("And", g.op("Equal", g.op("Gather", back, best), own),
                  g.op("Greater", g.op("ReduceMax", cost, g.const([1]), keepdims=0), g.const(0.2)))
    seen = g.op("Gather", "found", best)
    wide = g.op("Unsqueeze", mutual, g.const([1]))
    moved = g.op("Where", wide, g.op("Add", g.op("Mul", seen, g.const(0.7)), g.op("Mul", expected, g.const(0.3))), expected)
    pairs = g.op("Compress", g.op("Concat", g.op("Unsqueeze", own, g.const([1])), g.op("Unsqueeze", best, g.const([1])), axis=1),
                 mutual, axis=0)
    # A found box is taken where one of the pairs has it.
    taken = g.op("ScatterElements", g.op("Cast", g.op("Mul", "scores", g.const(0.0)), to=INT64), best,
                 g.op("Cast", mutual, to=INT64), axis=0, reduction="max")
    fresh = g.op("Compress", "found", g.op("And", g.op("Equal", taken, g.const(np.int64(0))), g.op("Greater", "scores", g.const(0.4))), axis=0)
    g.output(g.op("Concat", moved, fresh, axis=0, out="next"), FLOAT, [None, 4])
    g.output(g.op("Identity", pairs, out="pairs"), INT64, [None, 2])
    g.output(g.op("Identity", mutual, out="matched"), BOOL, ["tracks"])
    return g.model()


def cases():
    rng = random("track_association data")
    for tracks, found in [(5, 4), (1, 1), (3, 12), (20, 6)]:
        corner = rng.uniform(0, 50, (max(tracks, found), 2)).astype(np.float32)
        boxes = np.concatenate([corner, corner + rng.uniform(5, 20, corner.shape).astype(np.float32)], axis=1)
        yield Case({"tracks": boxes[:tracks], "speed": normal(rng, tracks, 4, scale=0.1),
                    "found": boxes[:found] + normal(rng, found, 4, scale=0.5),
                    "scores": rng.uniform(0.2, 1, found).astype(np.float32)})
