# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention of several heads as exporters spell it: keys transposed at once or in two steps, heads of one joint product,
masks that are added, chosen or counted, other keys than queries, one key for all heads, the operator itself, in half
precision too; what others read of its steps."""
import numpy as np

from graph import FLOAT, FLOAT16, Case, Graph, normal, random

HEADS, SIZE = 3, 20


def build():
    return attend("attention_heads", SIZE)


def attend(name, size, halves=True):
    width = HEADS * size
    rng = random("attention_heads weights")
    g = Graph(name)
    g.input("x", FLOAT, ["batch", "queries", width])
    g.input("memory", FLOAT, ["batch", "keys", width])
    g.input("mask", FLOAT, ["batch", 1, 1, "queries"])
    g.input("visible", FLOAT, ["queries", "keys"])
    result = ["batch", "queries", width]

    def linear(x, columns=width):
        product = g.op("MatMul", x, g.const(normal(rng, width, columns, scale=width**-0.5)))
        return g.op("Add", product, g.const(normal(rng, columns, scale=0.1)))

    def split(x, perm, heads=HEADS):
        return g.op("Transpose", g.op("Reshape", x, g.const([0, 0, heads, size])), perm=perm)

    def join(x, out):
        g.op("Reshape", g.op("Transpose", x, perm=[0, 2, 1, 3]), g.const([0, 0, width]), out=out)
        g.output(out, FLOAT, result)

    # An encoder's.
    q, k, v = (split(linear("x"), perm) for perm in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
    scores = g.op("Add", g.op("Div", g.op("MatMul", q, k), g.const(size**0.5)), "mask")
    join(g.op("MatMul", g.op("Softmax", scores, axis=-1), v), "encoder")

    # A decoder's: one product for all three, positions that are counted.
    joint = g.op("Split", linear("x", 3 * width), out=[g.fresh("part") for _ in range(3)], axis=2, num_outputs=3)
    q, k, v = (split(part, [0, 2, 1, 3]) for part in joint)
    scores = g.op("Mul", g.op("MatMul", q, g.op("Transpose", k, perm=[0, 1, 3, 2])), g.const(size**-0.5))
    length = g.op("Squeeze", g.op("Slice", g.op("Shape", "x"), g.const([1]), g.const([2])))
    numbers = g.op("Range", g.const(0), length, g.const(1))
    causal = g.op("LessOrEqual", numbers, g.op("Unsqueeze", numbers, g.const([1])))
    masked = g.op("Where", causal, scores, g.const(-10000.0))
    join(g.op("MatMul", g.op("Softmax", masked, axis=-1), v), "decoder")

    # Of another sequence, whose weights are a result too; and with one key and value for all heads.
    q = split(linear("x"), [0, 2, 1, 3])
    k, v = (split(linear("memory"), [0, 2, 1, 3]) for _ in range(2))
    scores = g.op("Add", g.op("MatMul", q, g.op("Transpose", k, perm=[0, 1, 3, 2])), "visible")
    g.op("Softmax", scores, out="weights", axis=-1)
    g.output("weights", FLOAT, ["batch", HEADS, "queries", "keys"])
    join(g.op("MatMul", "weights", v), "cross")
    key, value = (split(linear("memory", size), perm, heads=1) for perm in ([0, 2, 3, 1], [0, 2, 1, 3]))
    scores = g.op("MatMul", g.op("Mul", q, g.const(size**-0.5)), key)
    join(g.op("MatMul", g.op("Softmax", scores, axis=-1), value), "shared")

    # Two heads of keys, each for three of queries: repeated for them, and as the operator has them.
    q = g.op("Transpose", g.op("Reshape", linear("x", 6 * size), g.const([0, 0, 6, size])), perm=[0, 2, 1, 3])
    k, v = (split(linear("memory", 2 * size), [0, 2, 1, 3], heads=2) for _ in range(2))
    length = g.op("Shape", k, start=2, end=3)
    count = g.op("Shape", k, start=0, end=1)
    repeat = g.op("Concat", count, g.const([2, 3]), length, g.const([size]), axis=0)
    joined = g.op("Concat", count, g.const([6]), length, g.const([size]), axis=0)
    keys, values = (g.op("Reshape", g.op("Expand", g.op("Unsqueeze", x, g.const([2])), repeat), joined) for x in (k, v))
    scores = g.op("Add", g.op("MatMul", q, g.op("Transpose", keys, perm=[0, 1, 3, 2])), "visible")
    g.op("MatMul", g.op("Softmax", scores, axis=-1), values, out="repeated")
    g.output("repeated", FLOAT, ["batch", 6, "queries", size])
    g.op("Attention", q, k, v, "visible", out="grouped")
    g.output("grouped", FLOAT, ["batch", 6, "queries", size])

    # The operator.
    names = dict(q_num_heads=HEADS, kv_num_heads=HEADS)
    g.op("Attention", "x", "memory", "memory", "visible", out="operator", **names)
    g.output("operator", FLOAT, result)
    if halves:
        x, memory = (g.op("Cast", name, to=FLOAT16) for name in ("x", "memory"))
        g.op("Attention", x, memory, memory, out="half", **names)
        g.output("half", FLOAT16, result)
    return g.model(opset=23, ir_version=11)


def cases():
    return data(HEADS * SIZE)


def data(width):
    rng = random("attention_heads data")
    for batch, queries, keys in [(2, 17, 9), (1, 1, 1), (1, 40, 33), (3, 5, 2)]:
        yield Case({"x": normal(rng, batch, queries, width), "memory": normal(rng, batch, keys, width),
                    "mask": np.where(rng.random((batch, 1, 1, queries)) < 0.7, 0, -10000).astype(np.float32),
                    "visible": normal(rng, queries, keys)})
