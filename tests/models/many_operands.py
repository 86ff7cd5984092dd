# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise operators of more operands than one kernel takes, each of its own shape class."""
from graph import FLOAT, Case, Graph, normal, random

COUNT = 40


def build():
    g = Graph("many_operands")
    g.input("x", FLOAT, ["n", 4])
    g.input("row", FLOAT, [1, 4])
    parts = [g.op("Mul", "x" if i % 3 else "row", g.const(float(i + 1))) for i in range(COUNT)]
    tensors = [g.op("Softmax", part, axis=-1) for part in parts]
    for name in ("Sum", "Mean", "Max", "Min"):
        g.output(g.op(name, *tensors, out=name.lower()), FLOAT, ["n", 4])
    return g.model()


def cases():
    rng = random("many_operands data")
    for n in (1, 5):
        yield Case({"x": normal(rng, n, 4), "row": normal(rng, 1, 4)})
