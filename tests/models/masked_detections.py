# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is kept of a detector by a threshold: boxes, scores and classes by one mask, joined to rows, and by the places of the same
mask a mean of what the kept boxes hold. One count, told behind the run."""
import numpy as np

from graph import FLOAT, Case, Graph, normal, random

LIMITS = {"d2h": 1, "blocking_syncs": 0}
CLASSES = 3


def build():
    g = Graph("masked_detections")
    weights = random("masked_detections weights")
    g.input("features", FLOAT, ["n", 8])
    g.input("boxes", FLOAT, ["n", 4])
    logits = g.op("MatMul", "features", g.const(normal(weights, 8, CLASSES)))
    scores = g.op("ReduceMax", g.op("Softmax", logits, axis=1), g.const([1]), keepdims=0)
    classes = g.op("Cast", g.op("ArgMax", logits, axis=1, keepdims=1), to=FLOAT)
    mask = g.op("Greater", scores, g.const(0.6))
    parts = [g.op("Compress", part, mask, axis=0) for part in ("boxes", g.op("Unsqueeze", scores, g.const([1])), classes)]
    g.output(g.op("Concat", *parts, axis=1, out="rows"), FLOAT, [None, 6])
    places = g.op("Squeeze", g.op("NonZero", mask), g.const([0]))
    held = g.op("Mul", g.op("Gather", "features", places, axis=0), parts[1])
    g.output(g.op("MatMul", held, g.const(normal(weights, 8, 2)), out="held"), FLOAT, [None, 2])
    return g.model()


def cases():
    rng = random("masked_detections data")
    for n in (12, 1, 50, 5):
        corner = rng.random((n, 2)) * 30
        boxes = np.concatenate([corner, corner + 1 + rng.random((n, 2)) * 20], 1).astype(np.float32)
        yield Case({"features": normal(rng, n, 8), "boxes": boxes})
