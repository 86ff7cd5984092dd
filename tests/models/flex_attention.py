# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention with graphs in its middle: a graph for the scores, for the probabilities, both and neither, and one that gives
what it gets; heads that share keys; every type, and another one for the softmax; lengths, heads and sizes that only the run
knows."""
import numpy as np
from graph import BFLOAT16, DOUBLE, FLOAT, FLOAT16, Case, Graph, normal, random

# ONNX Runtime does not have the operator.
ORACLE = "reference"
DOMAIN = "ai.onnx.preview"


def build():
    g = Graph("flex_attention")
    g.input("q", FLOAT, ["B", "H", "L", "E"])
    g.input("k", FLOAT, ["B", "G", "S", "E"])
    g.input("v", FLOAT, ["B", "G", "S", "F"])

    def graph(name, dtype, make):
        sub = g.sub(name)
        sub.input(f"{name}_in", dtype, ["B", "H", "L", "S"])
        sub.output(make(sub, f"{name}_in"), dtype, ["B", "H", "L", "S"])
        return sub.proto()

    def causal(sub, scores):
        def positions(axis):
            count = sub.op("Squeeze", sub.op("Shape", scores, start=axis, end=axis + 1), sub.const([0]))
            return sub.op("Range", sub.const(0), count, sub.const(1))
        rows = sub.op("Unsqueeze", positions(2), sub.const([1]))
        seen = sub.op("GreaterOrEqual", rows, positions(3))
        return sub.op("Where", seen, scores, sub.const(-np.inf, np.float32))

    def attend(out, *operands, dtype=FLOAT, **attributes):
        g.output(g.op("FlexAttention", *operands, domain=DOMAIN, name=out, out=out, **attributes), dtype, ["B", "H", "L", "F"])

    rows = ("q", "k", "v")
    attend("plain", *rows)
    attend("causal", *rows, score_mod=graph("causal_graph", FLOAT, causal), scale=0.4)
    attend("capped", *rows,
           score_mod=graph("cap", FLOAT, lambda sub, x: sub.op("Mul", sub.op("Tanh", x), sub.const(3.0))),
           prob_mod=graph("half", FLOAT, lambda sub, x: sub.op("Mul", x, sub.const(0.5))))
    attend("same", *rows, prob_mod=graph("identity", FLOAT, lambda sub, x: sub.op("Identity", x)))
    for name, dtype in (("halves", FLOAT16), ("brains", BFLOAT16), ("doubles", DOUBLE)):
        precise = DOUBLE if dtype == DOUBLE else FLOAT
        attend(name, *(g.op("Cast", row, to=dtype) for row in rows), dtype=dtype,
               prob_mod=graph(f"{name}_graph", precise, lambda sub, x: sub.op("Abs", x)))
    attend("precise", *rows, softmax_precision=DOUBLE,
           score_mod=graph("in_double", DOUBLE, lambda sub, x: sub.op("Neg", x)))
    return g.model(opset=27, ir_version=13, extra_domains=[DOMAIN])


def cases():
    rng = random("flex_attention data")

    def data(batch, heads, groups, queries, keys, size, width):
        return {"q": normal(rng, batch, heads, queries, size), "k": normal(rng, batch, groups, keys, size),
                "v": normal(rng, batch, groups, keys, width)}

    for sizes in ((2, 4, 2, 5, 7, 8, 6), (1, 3, 3, 1, 1, 1, 1), (2, 6, 1, 9, 9, 4, 3), (2, 2, 2, 0, 3, 4, 3),
                  (0, 2, 1, 2, 3, 4, 3)):
        yield Case(data(*sizes))
