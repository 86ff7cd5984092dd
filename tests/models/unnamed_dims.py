# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dims as Paddle's exporter writes those that it does not know: the number -1, or the name `?` wherever there is one. Each is
open and its own."""
from graph import FLOAT, Case, Graph, normal, random


def build():
    g = Graph("unnamed_dims")
    g.input("a", FLOAT, [-1, 3])
    g.input("image", FLOAT, ["n", 2, "?", "?"])
    g.input("p", FLOAT, [2, "?"])
    g.input("q", FLOAT, [2, "?"])
    g.output(g.op("Relu", "a", out="relu"), FLOAT, [-1, 3])
    kernel = g.const(normal(random("unnamed_dims weights"), 3, 2, 3, 3))
    g.output(g.op("GlobalAveragePool", g.op("Conv", "image", kernel), out="pooled"), FLOAT, ["n", 3, 1, 1])
    means = [g.op("ReduceMean", x, g.const([1]), keepdims=1) for x in ("p", "q")]
    g.output(g.op("Add", *means, out="means"), FLOAT, [2, 1])
    return g.model()


def cases():
    rng = random("unnamed_dims data")
    for a, n, height, width, p, q in [(2, 1, 4, 9, 3, 5), (5, 2, 7, 5, 4, 4), (1, 1, 3, 3, 1, 7)]:
        yield Case({"a": normal(rng, a, 3), "image": normal(rng, n, 2, height, width), "p": normal(rng, 2, p),
                    "q": normal(rng, 2, q)})
