# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An LSTM from its defaults over symbolic sequence and batch, its sequence output fed to a linear layer."""
from graph import FLOAT, Case, Graph, normal, random

INPUT, HIDDEN = 12, 20


def build():
    rng = random("lstm weights")
    g = Graph("lstm")
    g.input("x", FLOAT, ["sequence", "batch", INPUT])
    w = g.const(normal(rng, 1, 4 * HIDDEN, INPUT, scale=INPUT**-0.5))
    r = g.const(normal(rng, 1, 4 * HIDDEN, HIDDEN, scale=HIDDEN**-0.5))
    b = g.const(normal(rng, 1, 8 * HIDDEN, scale=0.1))
    y, _, _ = g.op("LSTM", "x", w, r, b, out=["every_step", "last_hidden", "last_cell"], hidden_size=HIDDEN)
    flat = g.op("Squeeze", y, g.const([1]))
    g.op("MatMul", flat, g.const(normal(rng, HIDDEN, 4, scale=HIDDEN**-0.5)), out="scores")
    g.output("scores", FLOAT, ["sequence", "batch", 4])
    g.output("last_hidden", FLOAT, [1, "batch", HIDDEN])
    g.output("last_cell", FLOAT, [1, "batch", HIDDEN])
    return g.model(opset=14, ir_version=7)


def cases():
    rng = random("lstm data")
    for sequence, batch in [(6, 1), (1, 3), (20, 2)]:
        yield Case({"x": normal(rng, sequence, batch, INPUT)})
