# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""AveragePool padded to the same extent at either end, what is padded counted or not, over an open image."""
import numpy as np
from graph import FLOAT, Case, Graph

KERNEL = 5


def build():
    g = Graph("pool_same")
    g.input("x", FLOAT, [1, 1, "h", 2])
    for end in ("LOWER", "UPPER"):
        for include in (0, 1):
            for stride in (1, 2):
                name = f"{end.lower()}_{include}_{stride}"
                g.op("AveragePool", "x", kernel_shape=[KERNEL, 1], strides=[stride, 1], auto_pad=f"SAME_{end}",
                     count_include_pad=include, out=name)
                g.output(name, FLOAT, [1, 1, None, 2])
    return g.model(opset=19, ir_version=9)


def pooled(x, pads, stride, include):
    """By the definition; ONNX Runtime pads the wrong end for SAME_LOWER."""
    before, after = pads
    rows = [x[:, :, max(0, first):first + KERNEL] for first in range(-before, x.shape[2] + after - KERNEL + 1, stride)]
    return np.stack([row.sum(2) / (KERNEL if include else row.shape[2]) for row in rows], 2)


def ORACLE(model):
    def run(inputs):
        x = inputs["x"].astype(np.float64)
        for end in ("LOWER", "UPPER"):
            for include in (0, 1):
                for stride in (1, 2):
                    total = max(0, (-(-x.shape[2] // stride) - 1) * stride + KERNEL - x.shape[2])
                    less, more = total // 2, total - total // 2
                    pads = (more, less) if end == "LOWER" else (less, more)
                    yield pooled(x, pads, stride, include).astype(np.float32)
    return run


def cases():
    for h in (6, 5, 9):
        yield Case({"x": np.arange(2 * h, dtype=np.float32).reshape(1, 1, h, 2)})
