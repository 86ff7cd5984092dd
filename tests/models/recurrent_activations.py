# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every activation of LSTM, GRU and RNN that has parameters, with values that are nobody's defaults, among others that
have none: each must take its own from the lists of alphas and betas, and leave the next one's there."""
from graph import FLOAT, Case, Graph, normal, random

INPUT, HIDDEN = 4, 5
# Functions of one direction, then of the other; the entries of their alphas and betas.
LAYERS = {
    ("LSTM", 4): (["HardSigmoid", "Affine", "ScaledTanh", "Sigmoid", "LeakyRelu", "Affine"],
                  [0.3, 0.6, 1.2, 0.15, 0.4], [0.4, -0.25, 0.7, 0.35]),
    ("GRU", 3): (["Affine", "ThresholdedRelu", "HardSigmoid", "Softsign"], [0.3, 0.2, 0.25], [0.45, 0.55]),
    ("RNN", 1): (["Elu", "Affine"], [0.7, 0.5], [0.3]),
}


def build():
    rng = random("recurrent_activations weights")
    g = Graph("recurrent_activations")
    g.input("x", FLOAT, ["sequence", "batch", INPUT])
    for (op, gates), (activations, alphas, betas) in LAYERS.items():
        w = g.const(normal(rng, 2, gates * HIDDEN, INPUT, scale=0.5))
        r = g.const(normal(rng, 2, gates * HIDDEN, HIDDEN, scale=0.3))
        b = g.const(normal(rng, 2, 2 * gates * HIDDEN, scale=0.2))
        y = f"y_{op.lower()}"
        g.op(op, "x", w, r, b, out=[y], hidden_size=HIDDEN, direction="bidirectional", activations=activations,
             activation_alpha=alphas, activation_beta=betas)
        g.output(y, FLOAT, ["sequence", 2, "batch", HIDDEN])
    return g.model(opset=14, ir_version=7)


def cases():
    rng = random("recurrent_activations data")
    for sequence, batch in [(4, 2), (1, 3)]:
        yield Case({"x": normal(rng, sequence, batch, INPUT)})
