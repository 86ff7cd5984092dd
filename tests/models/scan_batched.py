# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scan of operator set 8, which scans the sequence of each entry of a batch: forwards and backwards, with a state."""
from graph import FLOAT, Case, Graph, normal, random


def build():
    g = Graph("scan_batched")
    g.input("initial", FLOAT, ["B", "n"])
    g.input("forwards", FLOAT, ["B", "steps", "n"])
    g.input("backwards", FLOAT, ["B", "steps", "n"])
    body = g.sub("body")
    for name in ("state", "row", "late"):
        body.input(name, FLOAT, ["n"])
    body.op("Add", body.op("Mul", "state", "late"), "row", out="next_state")
    body.op("Tanh", "next_state", out="bent")
    for name in ("next_state", "bent"):
        body.output(name, FLOAT, ["n"])
    g.op("Scan", "", "initial", "forwards", "backwards", out=["last", "every"], body=body.proto(), num_scan_inputs=2,
         directions=[0, 1])
    g.output("last", FLOAT, ["B", "n"])
    g.output("every", FLOAT, ["B", "steps", "n"])
    return g.model(opset=8, ir_version=4)


def cases():
    rng = random("scan_batched data")
    for batch, steps, n in ((2, 3, 4), (1, 1, 1), (3, 7, 2)):
        yield Case({"initial": normal(rng, batch, n), "forwards": normal(rng, batch, steps, n),
                    "backwards": normal(rng, batch, steps, n)})
