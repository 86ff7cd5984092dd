# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights in a file beside the model, two tensors at different offsets."""
from graph import FLOAT, Case, Graph, normal, random

EXTERNAL = True


def build():
    rng = random("external_data weights")
    g = Graph("external_data")
    g.input("x", FLOAT, ["batch", 40])
    hidden = g.op("Relu", g.op("MatMul", "x", g.const(normal(rng, 40, 30, scale=0.2))))
    g.op("MatMul", hidden, g.const(normal(rng, 30, 5, scale=0.2)), out="y")
    g.output("y", FLOAT, ["batch", 5])
    return g.model()


def cases():
    rng = random("external_data data")
    for batch in (1, 7):
        yield Case({"x": normal(rng, batch, 40)})
