# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that are compiled as the operators that ONNX defines them by: losses, norms, windows, crops."""
import numpy as np

from graph import FLOAT, INT64, UINT8, Case, Graph, normal, random


def build():
    rng = random("decomposed weights")
    g = Graph("decomposed")
    g.input("x", FLOAT, ["batch", 6, "height", "width"])
    g.input("labels", INT64, ["batch", "height", "width"])
    g.input("signal", FLOAT, ["length"])
    every = ["batch", 6, "height", "width"]

    def output(name, dims, dtype=FLOAT):
        g.output(name, dtype, dims)
        return name

    g.op("MeanVarianceNormalization", "x", out=output("mean_variance", every), axes=[0, 2, 3])
    g.op("LpNormalization", "x", out=output("l1", every), axis=1, p=1)
    g.op("LpNormalization", "x", out=output("l2", every), axis=-1, p=2)
    g.op("Hardmax", "x", out=output("hardmax", every), axis=1)
    for p in (1, 2, 3):
        g.op("GlobalLpPool", "x", out=output(f"pool{p}", ["batch", 6, 1, 1]), p=p)

    weights = g.const(np.abs(normal(rng, 6)).astype(np.float32))
    scores = g.op("LogSoftmax", "x", axis=1)
    g.op("NegativeLogLikelihoodLoss", scores, "labels", weights, out=output("nll", []), reduction="mean", ignore_index=2)
    g.op("NegativeLogLikelihoodLoss", scores, "labels", out=output("nll_sum", []), reduction="sum")
    g.op("SoftmaxCrossEntropyLoss", "x", "labels", out=[output("sce", ["batch", "height", "width"]),
                                                        output("log_prob", every)], reduction="none")
    g.op("SoftmaxCrossEntropyLoss", "x", "labels", weights, out=output("sce_mean", []), reduction="mean")

    g.op("CenterCropPad", "x", g.const([5, 4]), out=output("cropped", ["batch", 6, 5, 4]), axes=[2, 3])
    for window, periodic in [("Hann", 1), ("Hamming", 0), ("Blackman", 1)]:
        g.op(f"{window}Window", g.const(10), out=output(window.lower(), [10]), periodic=periodic)
    g.op("DynamicQuantizeLinear", "signal", out=[output("quantized", ["length"], UINT8), output("quant_scale", []),
                                                 output("quant_zero", [], UINT8)])
    return g.model(opset=21, ir_version=10)


def cases():
    rng = random("decomposed data")
    # Zeros have no range that a scale could divide.
    signals = [normal(rng, 9, scale=2.0), np.abs(normal(rng, 33)), np.zeros(5, np.float32)]
    for (batch, height, width), signal in zip([(2, 5, 7), (1, 3, 4), (1, 8, 1)], signals):
        yield Case({"x": normal(rng, batch, 6, height, width, scale=2.0), "labels": rng.integers(0, 6, (batch, height, width)),
                    "signal": signal})
