# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rotary embeddings as exporters spell them, x * cos + concat(-x[second half], x[first half]) * sin, and what is like them:
halves by Slice and by Split, both or none negated, halves of a part of the last axis, with a residual, into a part of a
cache, in halves of precision, by the operator itself; and parts that are not halves. Each rotation is one kernel.
"""
import numpy as np
from graph import FLOAT, FLOAT16, INT64, Case, Graph, normal, random

HEADS, SIZE = 3, 32
# One of each rotation, of the sums of its results and of the cache's part; Gather and Slices of the operator's tables are others.
LIMITS = {"d2h": 0, "h2d": 0, "blocking_syncs": 0, "launches": 15}


def build():
    g = Graph("rotary_halves")
    x = g.input("x", FLOAT, ["batch", HEADS, "step", SIZE])
    g.input("past", FLOAT, ["batch", HEADS, "past", SIZE])
    cosine, sine = (g.input(name, FLOAT, ["step", SIZE]) for name in ("cos", "sin"))
    g.input("position_ids", INT64, ["batch", "step"])

    def cut(value, begin, end):
        return g.op("Slice", value, *(g.const(np.int64([n])) for n in (begin, end, -1)))

    def halves(value, size=SIZE):
        return cut(value, 0, size // 2), cut(value, size // 2, size)

    def turn(value, turned, cosine=cosine, sine=sine):
        return g.op("Add", g.op("Mul", value, cosine), g.op("Mul", turned, sine))

    def output(name, value, dims, dtype=FLOAT):
        g.op("Identity", value, out=name)
        g.output(name, dtype, dims)

    whole = ["batch", HEADS, "step", SIZE]
    first, second = halves(x)
    sliced = turn(x, g.op("Concat", g.op("Neg", second), first, axis=-1))
    output("sliced", sliced, whole)
    first, second = g.op("Split", x, out=[g.fresh("half"), g.fresh("half")], axis=3, num_outputs=2)
    output("split", turn(x, g.op("Concat", second, first, axis=3)), whole)
    first, second = halves(g.op("Abs", x))
    both = turn(x, g.op("Concat", g.op("Neg", second), g.op("Neg", first), axis=-1))
    output("negated", g.op("Add", both, x), whole)
    # A part of the last axis is turned, the rest stays.
    part, rest = cut(x, 0, 16), cut(x, 16, SIZE)
    first, second = halves(part, 16)
    turned = turn(part, g.op("Concat", g.op("Neg", second), first, axis=-1), cut(cosine, 0, 16), cut(sine, 0, 16))
    output("part", g.op("Concat", turned, rest, axis=-1), whole)
    output("cache", g.op("Concat", "past", sliced, axis=2), ["batch", HEADS, "total", SIZE])
    narrow = g.op("Cast", x, to=FLOAT16)
    first, second = halves(narrow)
    output("narrow", g.op("Concat", g.op("Neg", second), first, axis=-1), whole, FLOAT16)
    # Halves in their order, and a cut that is none in the middle.
    first, second = halves(x)
    output("kept", g.op("Concat", g.op("Neg", first), second, axis=-1), whole)
    output("uneven", g.op("Concat", cut(x, 10, SIZE), cut(x, 0, 10), axis=-1), whole)
    tables = [g.const(table(np.outer(np.arange(40), 10.0 ** -(np.arange(SIZE // 2) / SIZE))).astype(np.float32)) for table in (np.cos, np.sin)]
    output("operator", g.op("RotaryEmbedding", x, *tables, "position_ids"), whole)
    return g.model(opset=23, ir_version=11)


def cases():
    rng = random("rotary_halves data")
    for batch, step, past in [(1, 1, 7), (2, 5, 0), (1, 33, 2), (2, 0, 3)]:
        yield Case({"x": normal(rng, batch, HEADS, step, SIZE), "past": normal(rng, batch, HEADS, past, SIZE),
                    "cos": normal(rng, step, SIZE), "sin": normal(rng, step, SIZE),
                    "position_ids": np.tile(np.arange(past, past + step), (batch, 1)).astype(np.int64)})
