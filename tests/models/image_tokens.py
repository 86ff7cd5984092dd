# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A language model that sees: features of an image take the places of its tokens in the prompt, wherever these stand, and
positions count on behind them; the last token's logits."""
import numpy as np

from graph import FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 0, "h2d": 0, "blocking_syncs": 0}
WIDTH, WORDS, IMAGE, PATCH = 8, 20, 19, 4


def build():
    g = Graph("image_tokens")
    weights = random("image_tokens weights")
    g.input("ids", INT64, [1, "tokens"])
    g.input("image", FLOAT, [1, 3, "height", "width"])
    patches = g.op("Conv", "image", g.const(normal(weights, WIDTH, 3, PATCH, PATCH, scale=0.2)), strides=[PATCH, PATCH])
    seen = g.op("Reshape", g.op("Transpose", patches, perm=[0, 2, 3, 1]), g.const([-1, WIDTH]))
    seen = g.op("MatMul", g.op("Gelu", seen), g.const(normal(weights, WIDTH, WIDTH)))
    words = g.op("Reshape", g.op("Gather", g.const(normal(weights, WORDS, WIDTH)), "ids"), g.const([-1, WIDTH]))
    places = g.op("NonZero", g.op("Equal", g.op("Reshape", "ids", g.const([-1])), g.const(np.int64(IMAGE))))
    # As many features as there are places for, and the other way round.
    most = g.op("Min", g.op("Shape", seen, start=0, end=1), g.op("Shape", places, start=1, end=2))
    features = g.op("Slice", seen, g.const([0]), most, g.const([0]))
    places = g.op("Slice", g.op("Transpose", places, perm=[1, 0]), g.const([0]), most, g.const([0]))
    merged = g.op("ScatterND", words, places, features)
    query, key, value = (g.op("MatMul", merged, g.const(normal(weights, WIDTH, WIDTH))) for _ in range(3))
    size = g.op("Shape", merged, start=0, end=1)
    causal = g.op("Trilu", g.op("Expand", g.const(1.0), g.op("Concat", size, size, axis=0)), upper=0)
    scores = g.op("Mul", g.op("MatMul", query, g.op("Transpose", key, perm=[1, 0])), g.const(0.3))
    scores = g.op("Where", g.op("Greater", causal, g.const(0.5)), scores, g.const(-1e9))
    state = g.op("Add", merged, g.op("MatMul", g.op("Softmax", scores), value))
    last = g.op("Slice", state, g.const([-1]), g.const([2**31]), g.const([0]))
    g.output(g.op("MatMul", last, g.const(normal(weights, WIDTH, WORDS)), out="logits"), FLOAT, [1, WORDS])
    return g.model()


def cases():
    rng = random("image_tokens data")
    for before, image, behind, height, width in [(3, 6, 4, 8, 12), (0, 4, 1, 8, 8), (5, 0, 2, 4, 4), (2, 3, 2, 16, 8)]:
        ids = np.concatenate([rng.integers(0, IMAGE, before), np.full(image, IMAGE), rng.integers(0, IMAGE, behind)])
        yield Case({"ids": ids[None], "image": normal(rng, 1, 3, height, width)})
