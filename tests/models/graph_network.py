# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of a batch: messages along edges, the largest and the mean of what comes to each node, nodes pooled by the graph that
they are of, of which there are as many as the caller says."""
import numpy as np

from graph import FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 0, "h2d": 0, "blocking_syncs": 0}
WIDTH = 6


def scatter(g, at, rows, count, reduction):
    """Rows brought to the places that `at` names, of `count`."""
    shape = g.op("Concat", count, g.const([WIDTH]), axis=0)
    start = g.const(-1e9 if reduction == "max" else 0.0)
    return g.op("ScatterND", g.op("Expand", start, shape), g.op("Unsqueeze", at, g.const([1])), rows, reduction=reduction)


def build():
    g = Graph("graph_network")
    weights = random("graph_network weights")
    g.input("nodes", FLOAT, ["nodes", WIDTH])
    g.input("edges", INT64, [2, "edges"])
    g.input("graph_of", INT64, ["nodes"])
    g.input("graphs", INT64, [1])
    state = "nodes"
    source, target = (g.op("Gather", "edges", g.const(np.int64(i))) for i in range(2))
    count = g.op("Shape", "nodes", start=0, end=1)
    degree = scatter(g, target, g.op("Expand", g.const(1.0), g.op("Concat", g.op("Shape", source), g.const([WIDTH]), axis=0)), count, "add")
    for _ in range(2):
        ends = [g.op("Gather", state, end) for end in (source, target)]
        message = g.op("Relu", g.op("MatMul", g.op("Concat", *ends, axis=1), g.const(normal(weights, 2 * WIDTH, WIDTH, scale=0.4))))
        largest = g.op("Max", scatter(g, target, message, count, "max"), g.const(0.0))
        mean = g.op("Div", scatter(g, target, message, count, "add"), g.op("Max", degree, g.const(1.0)))
        state = g.op("Tanh", g.op("MatMul", g.op("Concat", state, largest, mean, axis=1),
                                  g.const(normal(weights, 3 * WIDTH, WIDTH, scale=0.4))))
    pooled = scatter(g, "graph_of", state, "graphs", "add")
    g.output(g.op("MatMul", pooled, g.const(normal(weights, WIDTH, 3)), out="scores"), FLOAT, [None, 3])
    return g.model()


def cases():
    rng = random("graph_network data")
    for nodes, edges, graphs in [(8, 14, 2), (1, 1, 1), (30, 70, 5), (4, 0, 3)]:
        yield Case({"nodes": normal(rng, nodes, WIDTH), "edges": rng.integers(0, nodes, (2, edges)),
                    "graph_of": np.sort(rng.integers(0, graphs, nodes)), "graphs": np.array([graphs], np.int64)})
