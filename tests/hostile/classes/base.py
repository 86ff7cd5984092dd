# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a class of hostile files is made from: the table's row, and small models that one edit makes bad."""
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

import numpy as np
from onnx import ModelProto, TensorProto, helper, numpy_helper

FLOAT = TensorProto.FLOAT
INT64 = TensorProto.INT64
BOOL = TensorProto.BOOL
STRING = TensorProto.STRING
UINT8 = TensorProto.UINT8


@dataclass
class Bad:
    """One row: how to make the file and what `cameo compile` must do with it."""

    name: str
    exits: tuple
    make: Callable  # folder -> ModelProto, bytes, a Path to compile, or None when <folder>/model.onnx is written
    # For the runner: a stack limit in KiB, other arguments in place of `-o OUT`, a limit on written file sizes ...
    options: dict = field(default_factory=dict)
    mentions: tuple = ()  # texts that the diagnostic must hold: diagnostics.txt


class Table:
    """Collects rows: `table.row("name", 4, maker)`, or as a decorator over a function named after the case."""

    def __init__(self):
        self.rows = []

    def row(self, name, exits, make, **options):
        self.rows.append(Bad(name, exits if isinstance(exits, tuple) else (exits,), make, options=options))

    def case(self, exits, **options):
        def register(make):
            self.row(make.__name__, exits, make, **options)
            return make
        return register


def value(name, dtype=FLOAT, dims=(2, 3)):
    return helper.make_tensor_value_info(name, dtype, dims)


def model(nodes, inputs=None, outputs=None, initializers=(), opset=21, ir_version=10, **fields):
    """Not checked: that is the point. Without `inputs` and `outputs`: x [2, 3] to y [2, 3]."""
    graph = helper.make_graph(list(nodes), "graph", [value("x")] if inputs is None else inputs,
                              [value("y")] if outputs is None else outputs, list(initializers))
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], **fields)
    proto.ir_version = ir_version
    return proto


def relu():
    """A model with nothing wrong."""
    return model([helper.make_node("Relu", ["x"], ["y"], name="relu")])


def sum_of_sums(count):
    """One value with each of `count` constants: kernels that differ in a constant only. Nothing is wrong with it."""
    nodes = [helper.make_node("Add", ["x", f"c{i}"], [f"a{i}"]) for i in range(count)]
    return model([*nodes, helper.make_node("Sum", [f"a{i}" for i in range(count)], ["y"])],
                 inputs=[value("x", FLOAT, ["n"])], outputs=[value("y", FLOAT, None)],
                 initializers=[constant(f"c{i}", np.float32(i)) for i in range(count)])


def edited(edit, start=relu):
    """A maker: the start model after `edit(model)`."""
    def make(folder):
        proto = start()
        edit(proto)
        return proto
    return make


def constant(name, array):
    return numpy_helper.from_array(np.asarray(array), name)


def with_weight(tensor, dims=None):
    """y = x + w over a float initializer `w` given as a TensorProto."""
    return model([helper.make_node("Add", ["x", "w"], ["y"], name="add")], initializers=[tensor],
                 outputs=[value("y", dims=dims)])


def serialized(proto):
    return proto.SerializeToString() if isinstance(proto, ModelProto) else proto


def write(folder: Path, proto, name="model.onnx"):
    path = folder / name
    path.write_bytes(serialized(proto))
    return path


def varint(number):
    """A protobuf varint."""
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])
