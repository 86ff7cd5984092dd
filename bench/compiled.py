# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model compiled by a cameo and called in this process, by the package cameo_onnx: the one installed, or the tests' own."""
import os
import sys
from pathlib import Path

try:
    import cameo_onnx
except ImportError:
    sys.path.append(str(Path(__file__).resolve().parents[1] / "build/release/tests/python/site"))
    try:
        import cameo_onnx
    except ImportError:
        sys.exit("there is no cameo_onnx: cmake --build --preset release --target cameo_onnx")

# As `cameo build` builds when nothing else is said.
FLAGS = "-O3 -march=native"


class Loaded:
    """A session, with arrays bound once as the peers have them."""

    def __init__(self, model, threads=1):
        self.model, self.session = model, model.session(threads=threads)

    def bind(self, inputs, outputs):
        """Takes the arrays, in the model's order, that run() reads and writes."""
        self.inputs = {port.name: array for port, array in zip(self.model.inputs, inputs, strict=True)}
        self.outputs = {port.name: array for port, array in zip(self.model.outputs, outputs, strict=True)}

    def run(self):
        self.session.run(self.inputs, self.outputs)


class Compiled(Loaded):
    """A model, compiled and built here by the program `cameo`."""

    def __init__(self, cameo, model, threads=1, **flags):
        os.environ["CAMEO"] = str(cameo)
        super().__init__(cameo_onnx.compile(model, **flags), threads)
