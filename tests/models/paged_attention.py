# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A step of serving from pages: new keys and values go to the slots that the scheduler gives, and each sentence attends to its
own pages, by a table and by how long it is, both on the device."""
import numpy as np

from graph import FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 0, "h2d": 0, "blocking_syncs": 0}
WIDTH, PAGE = 8, 4


def build():
    g = Graph("paged_attention")
    weights = random("paged_attention weights")
    g.input("hidden", FLOAT, ["batch", WIDTH])
    g.input("keys", FLOAT, ["pages", PAGE, WIDTH])
    g.input("values", FLOAT, ["pages", PAGE, WIDTH])
    g.input("slots", INT64, ["batch"])
    g.input("table", INT64, ["batch", "blocks"])
    g.input("lengths", INT64, ["batch"])
    query, key, value = (g.op("MatMul", "hidden", g.const(normal(weights, WIDTH, WIDTH))) for _ in range(3))
    at = g.op("Concat", *(g.op("Unsqueeze", g.op(how, "slots", g.const(np.int64(PAGE))), g.const([1])) for how in ("Div", "Mod")), axis=1)
    kept = [g.op("ScatterND", pages, at, fresh, out=f"next_{pages}") for pages, fresh in (("keys", key), ("values", value))]

    def own(pages):
        return g.op("Reshape", g.op("Gather", pages, "table"), g.op("Concat", g.op("Shape", "hidden", start=0, end=1),
                                                                     g.const([-1, WIDTH]), axis=0))
    own_keys, own_values = map(own, kept)  # [batch, blocks * PAGE, WIDTH]
    scores = g.op("MatMul", own_keys, g.op("Unsqueeze", query, g.const([2])))
    span = g.op("Squeeze", g.op("Shape", own_keys, start=1, end=2))
    places = g.op("Reshape", g.op("Range", g.const(np.int64(0)), span, g.const(np.int64(1))), g.const([1, -1, 1]))
    present = g.op("Less", places, g.op("Reshape", "lengths", g.const([-1, 1, 1])))
    weight = g.op("Softmax", g.op("Where", present, g.op("Mul", scores, g.const(0.3)), g.const(-1e9)), axis=1)
    g.output(g.op("ReduceSum", g.op("Mul", weight, own_values), g.const([1]), keepdims=0, out="attended"), FLOAT, ["batch", WIDTH])
    for pages in kept:
        g.output(pages, FLOAT, ["pages", PAGE, WIDTH])
    return g.model()


def cases():
    rng = random("paged_attention data")
    for batch, pages, blocks in [(3, 9, 3), (1, 2, 1), (5, 30, 4)]:
        order = rng.permutation(pages)
        table = np.resize(order, (batch, blocks)).astype(np.int64)
        lengths = rng.integers(1, blocks * PAGE + 1, batch)
        slots = np.array([table[b, (n - 1) // PAGE] * PAGE + (n - 1) % PAGE for b, n in enumerate(lengths)], np.int64)
        slots = slots if len(set(slots)) == batch else np.arange(batch, dtype=np.int64)
        yield Case({"hidden": normal(rng, batch, WIDTH), "keys": normal(rng, pages, PAGE, WIDTH),
                    "values": normal(rng, pages, PAGE, WIDTH), "slots": slots, "table": table, "lengths": lengths})
