# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of as many elements as the product of two counts: rows of one mask by rows of another, elementwise and in products, as
matrices, lists and stacks of these. Each count has a bound, so that nothing waits."""
import numpy as np

from graph import FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 1, "blocking_syncs": 0}
WIDTH = 4


def kept(g, name, mask):
    return g.op("Compress", name, g.op("Greater", mask, g.const(0.0)), axis=0)


def products(g, x, y, of):
    def name(text):
        return f"{text}_{of}"

    product = g.op("MatMul", x, g.op("Transpose", y, perm=[1, 0]))
    each = g.op("Sub", g.op("Unsqueeze", x, g.const([1])), g.op("Unsqueeze", y, g.const([0])))
    rows = g.op("Reshape", each, g.const([-1, WIDTH]))
    flat = g.op("Reshape", product, g.const([-1]))
    count = g.op("Mul", g.op("Shape", x, start=0, end=1), g.op("Shape", y, start=0, end=1))
    yield name("likely"), FLOAT, [None, None], g.op("Softmax", product, axis=-1)
    yield name("distances"), FLOAT, [None, None], g.op("ReduceL2", each, g.const([2]), keepdims=0)
    yield name("mixed"), FLOAT, [None, WIDTH], g.op("MatMul", rows, g.const(normal(random("count_products weights"), WIDTH, WIDTH)))
    yield name("counted"), FLOAT, [None], g.op("Add", g.op("Reshape", product, count), g.const(1.0))
    yield name("positive"), INT64, [1, None], g.op("NonZero", g.op("Relu", flat))
    yield name("places"), INT64, [2, None], g.op("NonZero", g.op("Greater", product, g.const(0.5)))
    yield name("joined"), FLOAT, [None], g.op("Concat", flat, g.op("Reshape", x, g.const([-1])), axis=0)
    yield name("apart"), FLOAT, [None, None, WIDTH], g.op(
        "Reshape", g.op("Mul", rows, g.const(2.0)),
        g.op("Concat", g.op("Shape", x, start=0, end=1), g.op("Shape", y, start=0, end=1), g.const([WIDTH]), axis=0), allowzero=1)
    yield name("filled"), FLOAT, [None, None], g.op(
        "Expand", g.op("ReduceMax", product, keepdims=1), g.op("Shape", product))
    yield name("averaged"), FLOAT, [None, WIDTH], g.op("MatMul", g.op("Softmax", product, axis=-1), y)
    yield name("summed"), FLOAT, [], g.op("ReduceSum", flat, keepdims=0)


def build():
    g = Graph("count_products")
    for name, rows in [("a", "n"), ("b", "m"), ("c", 6), ("d", 5)]:
        g.input(name, FLOAT, [rows, WIDTH])
        g.input(f"mask_{name}", FLOAT, [rows])
    a, b, c, d = (kept(g, name, f"mask_{name}") for name in "abcd")
    for x, y, of in [(a, b, "open"), (c, d, "fixed")]:
        for name, dtype, dims, value in products(g, x, y, of):
            g.output(g.op("Identity", value, out=name), dtype, dims)
    return g.model()


def cases():
    rng = random("count_products data")
    for n, m, sign in [(5, 7, 0), (1, 1, 1), (12, 3, 0), (0, 4, 0), (4, 4, -1)]:
        inputs = {}
        for name, rows in [("a", n), ("b", m), ("c", 6), ("d", 5)]:
            inputs[name] = normal(rng, rows, WIDTH)
            mask = normal(rng, rows)
            inputs[f"mask_{name}"] = sign * np.abs(mask) if sign else mask
        yield Case(inputs)
