# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of ai.onnx.ml: thresholds and norms, on floats and integers, with rows of zeros."""
import numpy as np
from graph import FLOAT, INT64, Case, Graph, normal, random


def build():
    g = Graph("ml")
    g.input("x", FLOAT, ["batch", "width"])
    g.input("counts", INT64, ["batch", 3])

    def ml(op_type, x, name, dtype, dims, **attributes):
        g.op(op_type, x, out=name, domain="ai.onnx.ml", **attributes)
        g.output(name, dtype, dims)

    ml("Binarizer", "x", "above", FLOAT, ["batch", "width"], threshold=0.25)
    for norm in ["MAX", "L1", "L2"]:
        ml("Normalizer", "x", f"by_{norm.lower()}", FLOAT, ["batch", "width"], norm=norm)
    ml("Normalizer", "counts", "counts_by_l2", FLOAT, ["batch", 3], norm="L2")
    return g.model(extra_domains=["ai.onnx.ml"])


def cases():
    rng = random("ml data")
    for batch, width in [(1, 1), (3, 40), (2, 1000)]:
        x = normal(rng, batch, width)
        x[-1, :] *= batch > 1  # a row whose norms are 0
        yield Case({"x": x, "counts": rng.integers(-9, 9, (batch, 3))})
