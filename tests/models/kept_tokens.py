# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tokens dropped by their weight, and attention among those that are left: products whose rows and inner extent are both the
count. Beside it, the brightest place of an image cut out and brought to one size."""
import numpy as np

from graph import FLOAT, Case, Graph, normal, random

LIMITS = {"d2h": 1, "blocking_syncs": 0}
WIDTH, HEADS = 16, 2


def attention(g, weights):
    weight = g.op("ReduceMax", "tokens", g.const([1]), keepdims=0)
    rows = g.op("Squeeze", g.op("NonZero", g.op("Greater", weight, g.const(1.5))), g.const([0]))
    kept = g.op("Gather", "tokens", rows, axis=0)

    def heads(perm):
        projected = g.op("MatMul", kept, g.const(normal(weights, WIDTH, WIDTH)))
        return g.op("Transpose", g.op("Reshape", projected, g.const([-1, HEADS, WIDTH // HEADS])), perm=perm)
    scores = g.op("Softmax", g.op("Mul", g.op("MatMul", heads([1, 0, 2]), heads([1, 2, 0])), g.const(0.3)))
    seen = g.op("MatMul", scores, heads([1, 0, 2]))
    return g.op("Reshape", g.op("Transpose", seen, perm=[1, 0, 2]), g.const([-1, WIDTH]))


def bright_crop(g, weights):
    heat = g.op("Conv", "image", g.const(normal(weights, 1, 3, 3, 3)), pads=[1, 1, 1, 1])
    rows = g.op("ReduceMax", heat, g.const([0, 1, 3]), keepdims=0)
    top = g.op("Max", g.op("Sub", g.op("ArgMax", rows, keepdims=1, axis=0), g.const([4])), g.const([0]))
    cut = g.op("Slice", "image", top, g.op("Add", top, g.const([8])), g.const([2]), g.const([1]))
    return g.op("Resize", cut, "", "", g.const([1, 3, 12, 20]), mode="linear")


def build():
    g = Graph("kept_tokens")
    weights = random("kept_tokens weights")
    g.input("tokens", FLOAT, ["n", WIDTH])
    g.input("image", FLOAT, [1, 3, "height", "width"])
    g.output(g.op("Identity", attention(g, weights), out="attended"), FLOAT, [None, WIDTH])
    g.output(g.op("Identity", bright_crop(g, weights), out="bright"), FLOAT, [1, 3, 12, 20])
    return g.model()


def cases():
    rng = random("kept_tokens data")
    for n, height, width in [(20, 16, 10), (3, 8, 9), (70, 30, 31)]:
        tokens = normal(rng, n, WIDTH)
        tokens[0, 0] = 2
        yield Case({"tokens": tokens, "image": normal(rng, 1, 3, height, width)})
