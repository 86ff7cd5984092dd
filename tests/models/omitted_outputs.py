# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Split with outputs left out, at the end and before: the parts are those of all outputs, of an old operator set too."""
from graph import FLOAT, Case, Graph, normal, random

# ONNX Runtime ends by a signal where outputs are left out.
ORACLE = "reference"
OUTPUTS = {"third": ["n", 5], "sum": ["n", 7], "first": ["n", 7], "last": ["n", 6], "more": [None, 2], "less": [None, 2],
           "hidden": [1, 1, 2]}


def build():
    rng = random("omitted_outputs weights")
    g = Graph("omitted_outputs")
    g.input("x", FLOAT, ["n", 20])
    g.input("z", FLOAT, ["m", 2])
    g.input("steps", FLOAT, [3, 1, 2])
    sizes = g.const([7, 6, 7])
    g.op("Split", "x", out=["", "third", "", ""], axis=-1, num_outputs=4)
    one, _, two = g.op("Split", "x", sizes, out=["one", "", "two"], axis=1)
    g.op("Add", one, two, out="sum")
    g.op("Split", "x", out=["first", "", "last"], axis=1, num_outputs=3)
    g.op("Split", "z", out=["more", "less"], axis=0, num_outputs=2)
    weights = [g.const(normal(rng, 1, 8, 2)) for _ in range(2)]
    g.op("LSTM", "steps", *weights, hidden_size=2, out=["", "hidden"])
    for name, dims in OUTPUTS.items():
        g.output(name, FLOAT, dims)
    return g.model()


def cases():
    rng = random("omitted_outputs data")
    for n, m in [(2, 5), (1, 4), (3, 1)]:
        yield Case({"x": normal(rng, n, 20), "z": normal(rng, m, 2), "steps": normal(rng, 3, 1, 2)})
