# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What PyTorch before 1.4 and CNTK write: every initializer is a graph input too, weights and the shapes of a row of Reshapes
alike. They are constants unless an option says otherwise."""
import numpy as np
from graph import FLOAT, INT64, Case, Graph, normal, random

RESHAPES = 8


def build():
    rng = random("weights_as_inputs weights")
    g = Graph("weights_as_inputs")

    def weight(name, array, dtype):
        g.input(name, dtype, list(array.shape))
        return g.const(array, name=name)

    g.input("x", FLOAT, ["n", 3, 6, 8])
    conv = g.op("Conv", "x", weight("w", normal(rng, 4, 3, 3, 3), FLOAT), weight("b", normal(rng, 4), FLOAT),
                pads=[1, 1, 1, 1])
    rows = g.op("Transpose", conv, perm=[0, 2, 3, 1])
    shaped = [g.op("Reshape", rows, weight(f"shape_{i}", np.array([0, -1, 2]), INT64)) for i in range(RESHAPES)]
    g.output(g.op("Concat", *shaped, axis=1, out="y"), FLOAT, ["n", 96 * RESHAPES, 2])
    return g.model(opset=9, ir_version=4)


def cases():
    rng = random("weights_as_inputs data")
    for n in (1, 3):
        yield Case({"x": normal(rng, n, 3, 6, 8)})
