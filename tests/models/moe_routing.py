# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Experts chosen per token: each takes its tokens, of which the device alone knows the number, and adds what it makes of them to
the result, by ScatterND and by ScatterElements. No expert's count is waited for."""
import numpy as np

from graph import FLOAT, Case, Graph, normal, random

LIMITS = {"d2h": 0, "blocking_syncs": 0}
WIDTH, HIDDEN, EXPERTS = 8, 16, 4


def build():
    g = Graph("moe_routing")
    weights = random("moe_routing weights")
    g.input("tokens", FLOAT, ["n", WIDTH])
    chosen = g.op("ArgMax", g.op("MatMul", "tokens", g.const(normal(weights, WIDTH, EXPERTS))), axis=1, keepdims=0)
    by_rows = by_elements = g.op("Mul", "tokens", g.const(0.5))
    for expert in range(EXPERTS):
        rows = g.op("Transpose", g.op("NonZero", g.op("Equal", chosen, g.const(expert))), perm=[1, 0])
        hidden = g.op("Relu", g.op("MatMul", g.op("GatherND", "tokens", rows), g.const(normal(weights, WIDTH, HIDDEN))))
        made = g.op("MatMul", hidden, g.const(normal(weights, HIDDEN, WIDTH)))
        by_rows = g.op("ScatterND", by_rows, rows, made, reduction="add")
        by_elements = g.op("ScatterElements", by_elements, g.op("Expand", rows, g.op("Shape", made)), made, axis=0, reduction="add")
    g.output(g.op("Identity", by_rows, out="by_rows"), FLOAT, ["n", WIDTH])
    g.output(g.op("Identity", by_elements, out="by_elements"), FLOAT, ["n", WIDTH])
    return g.model()


def cases():
    rng = random("moe_routing data")
    for n in (9, 1, 40, 0):
        yield Case({"tokens": normal(rng, n, WIDTH)})
    yield Case({"tokens": np.ones((5, WIDTH), np.float32)})
