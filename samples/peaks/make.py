#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes peaks.onnx and test_data_set_*: make.py (needs onnx, numpy, scipy).

What the two operators compute is SciPy's: uniform_filter1d and find_peaks. Seeds are fixed; the committed files came from
one run of this script.
"""
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from scipy.ndimage import uniform_filter1d
from scipy.signal import find_peaks

HERE = Path(__file__).resolve().parent
RADIUS = 2
HEIGHT = 0.25


def make_model():
    nodes = [
        helper.make_node("Smooth", ["signal"], ["smooth"], "smooth", domain="com.example", radius=RADIUS),
        helper.make_node("Peaks", ["smooth"], ["positions"], "peaks", domain="com.example", height=HEIGHT),
        helper.make_node("Gather", ["smooth", "positions"], ["heights"], "heights"),
    ]
    graph = helper.make_graph(
        nodes, "peaks", [helper.make_tensor_value_info("signal", TensorProto.FLOAT, ["n"])],
        [helper.make_tensor_value_info("smooth", TensorProto.FLOAT, ["n"]),
         helper.make_tensor_value_info("positions", TensorProto.INT64, ["peaks"]),
         helper.make_tensor_value_info("heights", TensorProto.FLOAT, ["peaks"])])
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.example", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def write(folder, number, kind, array):
    folder.mkdir(exist_ok=True)
    (folder / f"{kind}_{number}.pb").write_bytes(numpy_helper.from_array(array).SerializeToString())


def main():
    onnx.save(make_model(), HERE / "peaks.onnx")
    rng = np.random.default_rng(7)
    flat = np.repeat(np.array([0, 1, 1, 0.5, 0.75], np.float32), 12)
    for number, signal in enumerate([rng.standard_normal(300), rng.standard_normal(1), flat]):
        signal = signal.astype(np.float32)
        smooth = uniform_filter1d(signal, 2 * RADIUS + 1, mode="nearest")
        positions, _ = find_peaks(smooth, height=HEIGHT)
        folder = HERE / f"test_data_set_{number}"
        write(folder, 0, "input", signal)
        for output, array in enumerate([smooth, positions.astype(np.int64), smooth[positions]]):
            write(folder, output, "output", array)


if __name__ == "__main__":
    main()
