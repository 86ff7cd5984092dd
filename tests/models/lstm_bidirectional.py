# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Both directions, ragged sequences, initial states, peepholes, clip and own activations: every operand of LSTM."""
import numpy as np
from graph import FLOAT, INT32, Case, Graph, normal, random

INPUT, HIDDEN = 5, 7


def build():
    rng = random("lstm_bidirectional weights")
    g = Graph("lstm_bidirectional")
    g.input("x", FLOAT, ["sequence", "batch", INPUT])
    g.input("lengths", INT32, ["batch"])
    g.input("h0", FLOAT, [2, "batch", HIDDEN])
    g.input("c0", FLOAT, [2, "batch", HIDDEN])
    w = g.const(normal(rng, 2, 4 * HIDDEN, INPUT, scale=0.4))
    r = g.const(normal(rng, 2, 4 * HIDDEN, HIDDEN, scale=0.4))
    b = g.const(normal(rng, 2, 8 * HIDDEN, scale=0.1))
    p = g.const(normal(rng, 2, 3 * HIDDEN, scale=0.1))
    g.op("LSTM", "x", w, r, b, "lengths", "h0", "c0", p, out=["y", "y_h", "y_c"], hidden_size=HIDDEN,
         direction="bidirectional", clip=3.0,
         activations=["Sigmoid", "Tanh", "Tanh", "HardSigmoid", "Softsign", "Tanh"],
         activation_alpha=[0.2], activation_beta=[0.5])
    g.output("y", FLOAT, ["sequence", 2, "batch", HIDDEN])
    g.output("y_h", FLOAT, [2, "batch", HIDDEN])
    g.output("y_c", FLOAT, [2, "batch", HIDDEN])
    return g.model(opset=14, ir_version=7)


def cases():
    rng = random("lstm_bidirectional data")
    for sequence, lengths in [(5, [5, 2, 4]), (1, [1]), (9, [9, 1])]:
        batch = len(lengths)
        yield Case({"x": normal(rng, sequence, batch, INPUT), "lengths": np.array(lengths, np.int32),
                    "h0": normal(rng, 2, batch, HIDDEN), "c0": normal(rng, 2, batch, HIDDEN)})
