# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Boxes chosen class by class, joined, and the five best of all: K is the least of five and a sum of counts. Beside it, voxels:
points are counted per cell by Unique and ScatterElements. Nothing waits."""
import numpy as np

from graph import FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 1, "blocking_syncs": 0}
CLASSES = 3


def best_of_all(g):
    scores_of, boxes_of = [], []
    for number in range(CLASSES):
        scores = g.op("Slice", "scores", g.const([number]), g.const([number + 1]), g.const([1]))
        found = g.op("NonMaxSuppression", "boxes", scores, g.const([20]), g.const([0.5]), g.const([0.1]))
        rows = g.op("Gather", found, g.const(2), axis=1)
        scores_of.append(g.op("Gather", g.op("Squeeze", scores, g.const([0, 1])), rows))
        boxes_of.append(g.op("Gather", g.op("Squeeze", "boxes", g.const([0])), rows, axis=0))
    scores = g.op("Concat", *scores_of, axis=0)
    best, rows = g.op("TopK", scores, g.op("Min", g.op("Shape", scores), g.const([5])), out=2)
    yield "best", FLOAT, [None], best
    yield "best_boxes", FLOAT, [None, 4], g.op("Gather", g.op("Concat", *boxes_of, axis=0), rows, axis=0)


def voxels(g):
    cells = g.op("Cast", g.op("Floor", g.op("Mul", "points", g.const(2.0))), to=INT64)
    keys = g.op("ReduceSum", g.op("Mul", cells, g.const([10000, 100, 1])), g.const([1]), keepdims=0)
    _, first, inverse, counts = g.op("Unique", keys, out=4)
    rows = g.op("Unsqueeze", inverse, g.const([1]))
    empty = g.op("Mul", g.op("Gather", "points", first, axis=0), g.const(0.0))
    sums = g.op("ScatterElements", empty, g.op("Expand", rows, g.op("Shape", "points")), "points", axis=0, reduction="add")
    share = g.op("Unsqueeze", g.op("Cast", counts, to=FLOAT), g.const([1]))
    yield "centres", FLOAT, [None, 3], g.op("Div", sums, share)
    yield "filled", FLOAT, [None, 4], g.op("ScatterND", g.op("Pad", empty, g.const([0, 0, 0, 1])), rows,
                                           g.op("Pad", "points", g.const([0, 0, 0, 1])), reduction="max")


def build():
    g = Graph("nms_per_class")
    g.input("boxes", FLOAT, [1, "n", 4])
    g.input("scores", FLOAT, [1, CLASSES, "n"])
    g.input("points", FLOAT, ["m", 3])
    for part in (best_of_all, voxels):
        for name, dtype, dims, value in part(g):
            g.output(g.op("Identity", value, out=name), dtype, dims)
    return g.model()


def cases():
    rng = random("nms_per_class data")
    for n, m in [(12, 30), (1, 1), (60, 200)]:
        corner = rng.random((1, n, 2))
        boxes = np.concatenate([corner, corner + 0.1 + rng.random((1, n, 2)) / 3], 2)
        yield Case({"boxes": boxes.astype(np.float32), "scores": rng.random((1, CLASSES, n)).astype(np.float32),
                    "points": normal(rng, m, 3)})
