# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A small builder over onnx.helper: one call per node, names made up where none is given."""
import zlib
from dataclasses import dataclass, field

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT = TensorProto.FLOAT
FLOAT16 = TensorProto.FLOAT16
BFLOAT16 = TensorProto.BFLOAT16
DOUBLE = TensorProto.DOUBLE
INT8 = TensorProto.INT8
UINT8 = TensorProto.UINT8
INT32 = TensorProto.INT32
INT64 = TensorProto.INT64
STRING = TensorProto.STRING
BOOL = TensorProto.BOOL
INT4 = TensorProto.INT4
UINT4 = TensorProto.UINT4
INT2 = TensorProto.INT2
UINT2 = TensorProto.UINT2
FLOAT4E2M1 = TensorProto.FLOAT4E2M1


@dataclass
class Case:
    """One data set: inputs by name, and either outputs to be computed or the status that the run must end with, with
    the node that it must name."""

    inputs: dict
    status: str = ""


@dataclass
class Graph:
    name: str
    nodes: list = field(default_factory=list)
    initializers: list = field(default_factory=list)
    inputs: list = field(default_factory=list)
    outputs: list = field(default_factory=list)
    counter: int = 0  # of the names made up so far

    def fresh(self, stem):
        self.counter += 1
        return f"{self.name}_{stem}_{self.counter}"

    def input(self, name, dtype, dims):
        self.inputs.append(helper.make_tensor_value_info(name, dtype, dims))
        return name

    def output(self, name, dtype, dims):
        self.outputs.append(helper.make_tensor_value_info(name, dtype, dims))
        return name

    def const(self, value, dtype=None, name=None):
        """An initializer; ints become int64 and floats float32 unless `dtype` (numpy) says otherwise."""
        array = np.asarray(value)
        if dtype is None and not isinstance(value, (np.ndarray, np.generic)):
            dtype = np.float32 if array.dtype.kind == "f" else np.int64 if array.dtype.kind == "i" else array.dtype
        name = name or self.fresh("const")
        self.initializers.append(numpy_helper.from_array(array.astype(dtype or array.dtype), name))
        return name

    def op(self, op_type, *inputs, out=1, name=None, domain="", **attributes):
        """Appends a node. `out` is how many results, or their names; returns the name, or a list of several."""
        names = [self.fresh(op_type.lower()) for _ in range(out)] if isinstance(out, int) else \
            [out] if isinstance(out, str) else list(out)
        # make_node sorts attributes, so the file does not depend on the order of the call's keywords.
        self.nodes.append(helper.make_node(op_type, list(inputs), names, name=name or self.fresh("node"),
                                           domain=domain, **attributes))
        return names[0] if len(names) == 1 else names

    def sub(self, name):
        """A graph for a body: it may use any name of this one."""
        return Graph(f"{self.name}_{name}")

    def branch(self, name, dtype, op_type, *inputs):
        """A graph for an If: one node, whose result it has."""
        sub = self.sub(name)
        sub.output(sub.op(op_type, *inputs), dtype, None)
        return sub.proto()

    def proto(self):
        return helper.make_graph(self.nodes, self.name, self.inputs, self.outputs, self.initializers)

    def model(self, opset=21, ir_version=10, functions=(), extra_domains=(), full_check=True):
        """`extra_domains`: names, of version 1, or pairs of a name and a version. `full_check`: onnx's extents agree too."""
        domains = [helper.make_opsetid("", opset)]
        domains += [helper.make_opsetid(*((d, 1) if isinstance(d, str) else d)) for d in extra_domains]
        model = helper.make_model(self.proto(), opset_imports=domains, functions=list(functions),
                                  producer_name="cameo-tests")
        model.ir_version = ir_version
        onnx.checker.check_model(model, full_check=full_check)
        return model


def random(name):
    """A generator seeded by a text, the same on every machine."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def normal(rng, *shape, scale=1.0, dtype=np.float32):
    return (rng.standard_normal(shape) * scale).astype(dtype)


def fill(scalar):
    """ConstantOfShape's `value`: a tensor of one element."""
    return numpy_helper.from_array(np.array([scalar]), "value")
