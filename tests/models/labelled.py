# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A classifier that says names: the best classes of each image are looked up in a table of strings, which only the host
has, behind all that the device does. The run does not wait for them; whoever takes the outputs does."""
import numpy as np

from graph import FLOAT, INT64, STRING, Case, Graph, normal, random

# What was found is copied behind the run, the best class and the three best, and the names are looked up by finish.
LIMITS = {"d2h": 2, "h2d": 0, "blocking_syncs": 0}
CLASSES, BEST = 10, 3


def build():
    g = Graph("labelled")
    weights = random("labelled weights")
    g.input("images", FLOAT, ["batch", 3, "height", "width"])
    features = g.op("Relu", g.op("Conv", "images", g.const(normal(weights, 8, 3, 3, 3, scale=0.3)), strides=[2, 2]))
    logits = g.op("MatMul", g.op("ReduceMean", features, g.const([2, 3]), keepdims=0), g.const(normal(weights, 8, CLASSES)))
    scores, classes = g.op("TopK", g.op("Softmax", logits), g.const([BEST]), out=2)
    g.output(g.op("Identity", scores, out="scores"), FLOAT, ["batch", BEST])
    g.output(g.op("LabelEncoder", classes, out="names", domain="ai.onnx.ml", keys_int64s=list(range(CLASSES)),
                  values_strings=[f"class {k}" for k in range(CLASSES)], default_string="?"), STRING, ["batch", BEST])
    best = g.op("ArgMax", logits, axis=1, keepdims=0)
    g.output(g.op("LabelEncoder", best, out="best", domain="ai.onnx.ml", keys_int64s=list(range(CLASSES)),
                  values_strings=[f"the {k}th" for k in range(CLASSES)], default_string="?"), STRING, ["batch"])
    return g.model(extra_domains=[("ai.onnx.ml", 4)])


def cases():
    rng = random("labelled data")
    for batch, height, width in [(1, 9, 9), (4, 20, 11), (2, 7, 30)]:
        yield Case({"images": normal(rng, batch, 3, height, width)})
