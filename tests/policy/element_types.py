#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the rows of element_types.def against the onnx package: all types, their numbers and names, and how long NumPy and
ml_dtypes have an element. Needs onnx."""
import re
from dataclasses import dataclass

import numpy as np
from onnx import TensorProto, helper

from tree import ROOT, report

TABLE = "runtime/include/cameo/element_types.def"


@dataclass
class Element:
    number: int
    onnx: str
    name: str
    type: str
    kind: str
    bits: int
    ir: str
    npy: str
    tolerance: tuple

    @property
    def record(self):
        """What OnnxBase.td calls it."""
        if self.kind == "string":
            return "Core_StringType"
        is_small_integer = self.kind.endswith("integer") and self.bits < 8
        return ("ONNX_" if is_small_integer else "") + self.ir.upper()


def element_types():
    """The rows."""
    rows = re.findall(r"^CAMEO_ELEMENT_TYPE\((.*)\)$", (ROOT / TABLE).read_text(), re.M)
    for row in rows:
        number, onnx, name, cpp, kind, bits, ir, npy, *tolerance = (field.strip() for field in row.split(","))
        yield Element(int(number), onnx, name.strip('"'), cpp, kind, int(bits), ir.strip('"'), npy.strip('"'),
                      tuple(map(float, tolerance)))


def findings():
    rows = list(element_types())
    known = {name: number for name, number in TensorProto.DataType.items() if number}
    for name in known.keys() - {row.onnx for row in rows}:
        yield f"{TABLE}:1: no row for {name}"
    for position, row in enumerate(rows, 1):
        if row.number != position or known.get(row.onnx) != row.number:
            yield f"{TABLE}:1: {row.onnx} has the number {row.number}, needs {known.get(row.onnx)}, in order"
        elif row.kind != "string":
            yield from numpy_findings(row)


def numpy_findings(row):
    dtype = helper.tensor_dtype_to_np_dtype(row.number)
    if dtype.itemsize != (row.bits + 7) // 8 or dtype.itemsize != np.dtype(row.npy).itemsize:
        yield f"{TABLE}:1: {row.onnx} has {row.bits} bits and is written as {row.npy}, NumPy has {dtype.itemsize} bytes"
    # Where NumPy has a type of its own, files have it.
    if dtype.isbuiltin == 1 and dtype.str != row.npy:
        yield f"{TABLE}:1: {row.onnx} is written as {row.npy}, NumPy writes {dtype.str}"


if __name__ == "__main__":
    report(findings())
