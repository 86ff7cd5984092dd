# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors whose dims, type and bytes do not agree, in an initializer and in the other places that carry one."""
import numpy as np
from onnx import TensorProto, helper

from .base import FLOAT, Table, constant, model, value, with_weight

table = Table()


def tensor(dims, dtype=FLOAT, **fields):
    t = TensorProto(name="w", data_type=dtype, dims=dims)
    for field, data in fields.items():
        if field == "raw_data":
            t.raw_data = data
        else:
            getattr(t, field).extend(data)
    return t


def weight(*arguments, **fields):
    return lambda folder: with_weight(tensor(*arguments, **fields))


table.row("dim_minus_one", 4, weight([-1], float_data=[1.0]))
table.row("count_overflow", 4, weight([2**62, 8], raw_data=b"\0" * 8))
table.row("bytes_overflow", 4, weight([2**61], raw_data=b"\0" * 8))
table.row("raw_short", 4, weight([3], raw_data=b"\0" * 8))
table.row("raw_long", 4, weight([3], raw_data=b"\0" * 16))
table.row("raw_ragged", 4, weight([3], raw_data=b"\0" * 11))
table.row("typed_short", 4, weight([3], float_data=[1.0, 2.0]))
table.row("typed_long", 4, weight([3], float_data=[1.0] * 4))
table.row("typed_of_other_type", 4, weight([3], int64_data=[1, 2, 3]))
table.row("raw_and_typed", 4, weight([1], float_data=[1.0], raw_data=b"\0" * 4))
table.row("type_0", 4, weight([1], dtype=0, float_data=[1.0]))
table.row("type_999", 4, weight([1], dtype=999, float_data=[1.0]))
table.row("scalar_without_data", 4, weight([]))
table.row("int4_short", 4, weight([3], dtype=TensorProto.INT4, raw_data=b"\0"))
table.row("int8_value_too_large", 4, weight([1], dtype=TensorProto.INT8, int32_data=[300]))
table.row("strings_in_raw", 4, weight([1], dtype=TensorProto.STRING, raw_data=b"abcd"))
table.row("rank_10000", 6, weight([1] * 10_000, float_data=[1.0]))


@table.case(4)
def bool_byte_2(folder):
    return model([helper.make_node("Where", ["w", "x", "x"], ["y"], name="where")],
                 initializers=[tensor([1], dtype=TensorProto.BOOL, raw_data=b"\x02")])


@table.case(4)
def bad_attribute_tensor(folder):
    return model([helper.make_node("Constant", [], ["w"], value=tensor([3], raw_data=b"\0" * 8)),
                  helper.make_node("Add", ["x", "w"], ["y"])])


@table.case(4)
def bad_unused_initializer(folder):
    return model([helper.make_node("Relu", ["x"], ["y"])], initializers=[tensor([3], raw_data=b"\0" * 8)])


@table.case(4)
def bad_tensor_in_branch(folder):
    then = helper.make_graph([helper.make_node("Add", ["x", "w"], ["t"])], "then", [], [value("t")],
                             [tensor([-3], float_data=[1.0])])
    other = helper.make_graph([helper.make_node("Relu", ["x"], ["e"])], "else", [], [value("e")])
    return model([helper.make_node("If", ["c"], ["y"], then_branch=then, else_branch=other)],
                 inputs=[value("x"), value("c", TensorProto.BOOL, [])])


table.row("zero_size", 0, lambda folder: model(
    [helper.make_node("Concat", ["x", "w"], ["y"], axis=0)], initializers=[constant("w", np.zeros((0, 3), np.float32))]))
table.row("dims_of_zero_and_huge", (0, 4), lambda folder: model(
    [helper.make_node("Relu", ["x"], ["y"])], initializers=[tensor([0, 2**62, 2**62])]))
