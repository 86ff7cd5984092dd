# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LabelEncoder with keys and values of every numeric type: keys that come twice, NaN, both zeros, the ends of the range,
what is no key, tables of one key and of none."""
import numpy as np
from graph import DOUBLE, FLOAT, INT32, INT64, Case, Graph, normal, random
from onnx import helper, numpy_helper

INT16 = 5
LIMITS = {"d2h": 0, "h2d": 0, "blocking_syncs": 0}
I64 = np.iinfo(np.int64)


def tables():
    """Name, attributes, type of the keys and of the values."""
    rng = random("label_encoder tables")
    many = rng.permutation(1000)[:700]

    def tensors(keys, values, default):
        return {"keys_tensor": numpy_helper.from_array(keys, "keys"), "values_tensor": numpy_helper.from_array(values, "values"),
                "default_tensor": numpy_helper.from_array(np.array([default], values.dtype), "default")}

    yield "of_int64", {"keys_int64s": [3, I64.max, -7, I64.min, 0], "values_int64s": [1, 2, 3, 4, I64.min]}, INT64, INT64
    yield "of_float", {"keys_floats": [0.5, np.nan, -np.inf, -0.0, 3e38], "values_floats": [1.5, np.nan, -0.0, np.inf, 2.0],
                       "default_float": 0.25}, FLOAT, FLOAT
    yield "repeated", {"keys_int64s": [5, 1, 5, 2, 1, 1], "values_floats": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}, INT64, FLOAT
    yield "to_int64", {"keys_floats": [1.0, 2.0, 2.5], "values_int64s": [10, 20, 25], "default_int64": 99}, FLOAT, INT64
    yield "many", {"keys_int64s": many, "values_int64s": rng.integers(-10**15, 10**15, 700)}, INT64, INT64
    yield "one", {"keys_int64s": [4], "values_int64s": [-4]}, INT64, INT64
    yield "int32", tensors(np.array([7, -2**31, 3], np.int32), np.array([0.5, 1e300, -2.0]), 0.125), INT32, DOUBLE
    yield "int16", tensors(np.array([300, -32768, 32767], np.int16), np.array([1, 2, -2**31], np.int32), 77), INT16, INT32
    yield "double", tensors(np.array([0.1, 5e-324, np.nan]), np.array([-1, 300, 2], np.int16), -300), DOUBLE, INT16


def ORACLE(model):
    """ONNX Runtime has not all types, and ONNX's evaluator no NaN among keys: by what the operator's text says."""
    def run(inputs):
        outputs = []
        for node in model.graph.node:
            given = {a.name: helper.get_attribute_value(a) for a in node.attribute}
            keys, values = (np.array(next(v if not k.endswith("tensor") else numpy_helper.to_array(v)
                                          for k, v in given.items() if k.startswith(side))) for side in ("keys", "values"))
            info = next(o for o in model.graph.output if o.name == node.output[0])
            dtype = helper.tensor_dtype_to_np_dtype(info.type.tensor_type.elem_type)
            default = numpy_helper.to_array(given["default_tensor"])[0] if "default_tensor" in given else \
                given.get("default_float", -0.0) if dtype == np.float32 else given.get("default_int64", -1)
            x = inputs[node.input[0]]
            y = np.full(x.shape, default, dtype)
            for key, value in zip(keys.astype(x.dtype), values):
                y[(x == key) | ((x != x) & (key != key))] = value
            outputs.append(y)
        return outputs

    return run


def build():
    g = Graph("label_encoder")
    for dtype, name in [(INT64, "i64"), (FLOAT, "f32"), (INT32, "i32"), (INT16, "i16"), (DOUBLE, "f64")]:
        g.input(name, dtype, ["n", "m"])
    inputs = {INT64: "i64", FLOAT: "f32", INT32: "i32", INT16: "i16", DOUBLE: "f64"}
    for name, attributes, key, value in tables():
        g.op("LabelEncoder", inputs[key], out=name, domain="ai.onnx.ml", **attributes)
        g.output(name, value, ["n", "m"])
    model = helper.make_model(g.proto(), ir_version=10, producer_name="cameo-tests",
                              opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid("ai.onnx.ml", 4)])
    return model


def cases():
    rng = random("label_encoder data")
    floats = [0.5, np.nan, -np.nan, -np.inf, np.inf, 0.0, -0.0, 3e38, 1.0, 2.0, 2.5, 0.1, 5e-324]
    integers = [3, 7, -7, 0, 5, 1, 2, 4, 300, -32768, 32767]
    for n, m in [(3, 40), (1, 1), (2, 0), (40, 50)]:
        def some(values, dtype):
            return np.where(rng.random((n, m)) < 0.3, normal(rng, n, m), rng.choice(values, (n, m))).astype(dtype)
        with np.errstate(invalid="ignore"):
            yield Case({"i64": np.where(rng.random((n, m)) < 0.5, rng.integers(0, 1000, (n, m)),
                                        rng.choice(np.array([*integers, I64.max, I64.min]), (n, m))),
                        "f32": some(floats, np.float32), "i32": some([*integers, -2**31], np.int32),
                        "i16": some(integers, np.int16), "f64": some(floats, np.float64)})
