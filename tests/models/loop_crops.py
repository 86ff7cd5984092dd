# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A detector whose boxes are cut out one by one, in a Loop of as many trips as NonMaxSuppression leaves: each crop has a size of its
own, is resized, classified and stacked. The host learns once how many there are."""
import numpy as np

from graph import BOOL, FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 1, "blocking_syncs": 1}
SIDE, CLASSES = 8, 5


def classify(g):
    weights = random("loop_crops weights")
    body = g.sub("crop")
    body.input("i", INT64, [])
    body.input("go", BOOL, [])
    box = body.op("Gather", "corners", body.op("Gather", "rows", "i", axis=0), axis=0)
    first = body.op("Slice", box, body.const([0]), body.const([2]))
    last = body.op("Slice", box, body.const([2]), body.const([4]))
    crop = body.op("Slice", "image", first, last, body.const([2, 3]))
    resized = body.op("Resize", crop, "", "", body.const([1, 3, SIDE, SIDE]), mode="linear")
    seen = body.op("Relu", body.op("Conv", resized, body.const(normal(weights, 6, 3, 3, 3)), pads=[1, 1, 1, 1], strides=[2, 2]))
    flat = body.op("ReduceMean", seen, body.const([0, 2, 3]), keepdims=0)
    scores = body.op("MatMul", flat, body.const(normal(weights, 6, CLASSES)))
    body.output(body.op("Identity", "go"), BOOL, [])
    body.output(body.op("Softmax", scores), FLOAT, [CLASSES])
    return body.proto()


def build():
    g = Graph("loop_crops")
    g.input("image", FLOAT, [1, 3, "height", "width"])
    g.input("boxes", FLOAT, ["n", 4])
    g.input("scores", FLOAT, ["n"])
    found = g.op("NonMaxSuppression", g.op("Unsqueeze", "boxes", g.const([0])), g.op("Unsqueeze", "scores", g.const([0, 1])),
                 g.const([10]), g.const([0.5]), g.const([0.3]))
    g.op("Gather", found, g.const(2), axis=1, out="rows")
    g.op("Cast", "boxes", to=INT64, out="corners")
    trips = g.op("Squeeze", g.op("Shape", "rows"), g.const([0]))
    g.output(g.op("Loop", trips, "", body=classify(g), out="classes"), FLOAT, [None, CLASSES])
    return g.model()


def cases():
    rng = random("loop_crops data")
    for n, height, width, scale in [(6, 40, 60, 1), (1, 9, 30, 1), (20, 64, 48, 1), (3, 10, 10, 0.2)]:
        corner = rng.random((n, 2)) * [height / 2, width / 2]
        boxes = np.concatenate([corner, corner + 1 + rng.random((n, 2)) * [height / 2 - 1, width / 2 - 1]], 1)
        yield Case({"image": normal(rng, 1, 3, height, width), "boxes": boxes.astype(np.float32),
                    "scores": (rng.random(n) * scale).astype(np.float32)})
