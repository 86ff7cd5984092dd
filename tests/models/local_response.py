# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LRN between convolutions, which have their channels in blocks on the CPU, and on dense tensors: windows across blocks, of
an even size, longer than all channels, other powers, channels that fill no whole block, whose other lanes hold 0 / 0."""
import numpy as np
from graph import FLOAT, FLOAT16, Case, Graph, normal, random
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun

LIMITS = {"d2h": 0, "h2d": 0, "blocking_syncs": 0}


class LRN(OpRun):
    op_domain = ""

    def _run(self, x, alpha=None, beta=None, bias=None, size=None):
        squares, before, channels = np.square(x.astype(np.float64)), (size - 1) // 2, x.shape[1]
        sums = np.zeros_like(squares)
        for c in range(channels):
            sums[:, c] = squares[:, max(0, c - before):min(channels, c + size - before)].sum(axis=1)
        return ((x / (bias + alpha / size * sums)**beta).astype(x.dtype),)


def ORACLE(model):
    """ONNX Runtime has odd sizes and rank 4 only; ONNX's own LRN takes the number of images for that of channels."""
    evaluator = ReferenceEvaluator(model, new_ops=[LRN])
    return lambda inputs: evaluator.run(None, inputs)


def conv(g, rng, x, inputs, outputs, kernel):
    weights = g.const(normal(rng, outputs, inputs, kernel, kernel, scale=(inputs * kernel * kernel)**-0.5))
    return g.op("Conv", x, weights, g.const(normal(rng, outputs)), pads=[kernel // 2] * 4)


def build():
    rng = random("local_response weights")
    g = Graph("local_response")
    g.input("image", FLOAT, ["batch", 3, "height", "width"])
    g.input("fixed", FLOAT, [2, 24, 7, 9])
    g.input("line", FLOAT, ["batch", "channels", "length"])
    g.input("rows", FLOAT, ["batch", "channels"])
    x = g.op("Relu", conv(g, rng, "image", 3, 20, 3))
    positive = g.op("Abs", g.const(normal(rng, 20, 1, 1) + 3))
    x = g.op("Div", g.op("Mul", x, positive), positive)
    x = conv(g, rng, g.op("LRN", x, size=5, alpha=0.5), 20, 40, 3)
    x = conv(g, rng, g.op("LRN", x, size=4, alpha=0.3, beta=0.5, bias=2.0), 40, 20, 3)
    g.op("Relu", conv(g, rng, g.op("LRN", x, size=99, alpha=2.0, beta=0.6), 20, 20, 3), out="open")
    y = conv(g, rng, g.op("LRN", conv(g, rng, "fixed", 24, 33, 3), size=5, alpha=0.5), 33, 20, 3)
    g.op("LRN", y, out="closed", size=1, alpha=0.5, beta=1.0)
    g.op("LRN", "line", out="lines", size=3, alpha=0.1, beta=0.6, bias=2.0)
    g.op("LRN", "rows", out="sums", size=6, alpha=0.7, beta=1.75)
    # Squares beyond the range of halves.
    halves = g.op("Cast", g.op("Mul", "line", g.const(300.0)), to=FLOAT16)
    g.op("Cast", g.op("LRN", halves, size=3, alpha=0.1), out="halves", to=FLOAT)
    g.output("open", FLOAT, ["batch", 20, "height", "width"])
    g.output("closed", FLOAT, [2, 20, 7, 9])
    g.output("lines", FLOAT, ["batch", "channels", "length"])
    g.output("sums", FLOAT, ["batch", "channels"])
    g.output("halves", FLOAT, ["batch", "channels", "length"])
    return g.model(opset=17, ir_version=8)


def cases():
    rng = random("local_response data")
    for batch, height, width, channels, length in [(1, 16, 16, 5, 9), (2, 21, 34, 1, 3), (3, 5, 7, 33, 20), (1, 9, 2, 3, 0)]:
        yield Case({"image": normal(rng, batch, 3, height, width), "fixed": normal(rng, 2, 24, 7, 9),
                    "line": normal(rng, batch, channels, length), "rows": normal(rng, batch, channels)})
