# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Classes that are brought to groups by their names: strings that nobody outside sees, on the host, between what the device
has found and integers that are wanted there. A captured run has it too, behind each launch of its graph."""
import numpy as np

from graph import FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 1, "h2d": 0, "blocking_syncs": 0}
CLASSES, WIDTH = 9, 12


def build():
    g = Graph("label_groups")
    weights = random("label_groups weights")
    g.input("features", FLOAT, ["batch", WIDTH])
    logits = g.op("MatMul", g.op("Tanh", "features"), g.const(normal(weights, WIDTH, CLASSES)))
    g.output(g.op("Softmax", logits, out="scores"), FLOAT, ["batch", CLASSES])
    names = [f"kind {k % 4}" for k in range(CLASSES)]
    name = g.op("LabelEncoder", g.op("ArgMax", logits, axis=1, keepdims=0), domain="ai.onnx.ml", keys_int64s=list(range(CLASSES)),
                values_strings=names, default_string="none")
    g.output(g.op("LabelEncoder", name, out="group", domain="ai.onnx.ml", keys_strings=sorted(set(names)),
                  values_int64s=[10, 20, 30, 40], default_int64=-1), INT64, ["batch"])
    return g.model(extra_domains=[("ai.onnx.ml", 4)])


def cases():
    rng = random("label_groups data")
    for batch in (1, 6, 40, 3):
        yield Case({"features": normal(rng, batch, WIDTH)})
