#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise operators give the same bits wherever they are computed: run.py CAMEO SCRATCH [OPERATOR...].

Operators and element types are those of the records (compiler/Dialect/ONNX/IR): whatever has a scalar function. A model per
operator has a node per combination of types, twice: once of inputs, which the target computes, and once of the same
elements as initializers, which the compiler computes where it may. Both, on the CPU and on the CUDA emulator, are to be the same
bits; NaN is NaN. Where all functions of an operator round in one way only, ONNX Runtime's elements are to be equal too, but
for those that ONNX leaves open. Attributes are all that their records say they may be: flags, words, types. Elements are the
ends of their types and what lies around 0 and 1, each with each, and random ones.
"""
import itertools
import re
import shutil
import sys
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS), str(TESTS / "policy"), str(TESTS / "conformance"), str(TESTS / "models")]
from harness import Harness  # noqa: E402
from make import onnxruntime_runner  # noqa: E402
from outcome import Outcome  # noqa: E402
from share import sample  # noqa: E402

from records import COMPILER, Records  # noqa: E402

COUNT = 512
TARGETS = "cpu", "cuda-emu"
# What programs do not compute with, and what a model does not have as a constant.
SKIPPED = {"string", "complex64", "complex128", "float6e2m3", "float6e3m2"}
# Combinations of types and attributes of which ONNX Runtime has a say; 479 when this was written.
LEAST_ASKED = 400


def number_of(element):
    return TensorProto.DataType.Value(element.upper())


def numpy_type(element):
    return np.dtype(helper.tensor_dtype_to_np_dtype(number_of(element)))


def bits_of(element):
    """Of an element in memory of its own; those below a byte are named after theirs."""
    digits = re.match(r"u?int([24])$|float([46])e", element)
    return int(digits[1] or digits[2]) if digits else 8 * numpy_type(element).itemsize


def edges(dtype):
    """The elements of a type that are unlike others; of a small type all of them."""
    if dtype == bool:
        return np.array([False, True])
    if dtype.itemsize == 1 and dtype.kind not in "iu":
        bits = {"float4_e2m1fn": 4, "float6_e2m3fn": 6, "float6_e3m2fn": 6}.get(dtype.name, 8)
        return small_integers(dtype) if "int" in dtype.name else np.arange(2**bits, dtype=np.uint8).view(dtype)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        values = [0, 1, 2, 3, 7, -1, -2, -7, info.min, info.min + 1, info.max, info.max - 1, info.max // 2, dtype.itemsize * 8]
        return np.array(sorted({v for v in values if info.min <= v <= info.max}), dtype)
    info = ml_dtypes.finfo(dtype)
    tiny, least, most = float(info.tiny), float(info.smallest_subnormal), float(info.max)
    values = [0, 1, 0.5, 1.5, 2.5, 0.1, 1 / 3, 3, 7, 127.5, 128, 255.5, 2**31, 2**63, tiny, least, most, most / 2, np.inf]
    with np.errstate(over="ignore"):
        return np.array([sign * v for v in values for sign in (1, -1)] + [np.nan], np.float64).astype(dtype)


def small_integers(dtype):
    width = int(dtype.name[-1])
    low, high = (0, 2**width) if dtype.name.startswith("u") else (-(2 ** (width - 1)), 2 ** (width - 1))
    return np.arange(low, high).astype(np.int8).astype(dtype)


def elements(dtypes, seed):
    """Operands of COUNT elements: the edges of the first two with each other, then random ones."""
    rng = np.random.default_rng(seed)
    tables = [edges(dtype) for dtype in dtypes]
    columns = [rng.integers(0, len(table), COUNT) for table in tables]
    pairs = itertools.product(*(range(len(table)) for table in tables[:2]))
    for row, pair in enumerate(itertools.islice(pairs, COUNT * 3 // 4)):
        for column, at in zip(columns, pair):
            column[row] = at
    operands = [table[column] for table, column in zip(tables, columns)]
    for operand in operands:
        if operand.dtype.kind == "f" or operand.dtype.name == "bfloat16":
            last = slice(COUNT * 7 // 8, COUNT)
            operand[last] = (rng.standard_normal(COUNT // 8) * 10.0 ** rng.integers(-4, 5, COUNT // 8)).astype(operand.dtype)
        elif operand.dtype.kind in "iu":
            operand[COUNT * 7 // 8:] = np.frombuffer(rng.bytes(COUNT // 8 * operand.dtype.itemsize), operand.dtype)
    return operands


def choices(name, kind, required, default, description):
    """What an attribute may be, as far as its record says: a flag by its default, words by a constraint."""
    if name == "to":
        return [None]  # the types of the result
    if kind == "INT" and default in ("0", "1"):
        return [0, 1]
    words = re.search(rf"`{name}` is (\w+(?:, \w+)*) or (\w+)\.", description)
    if kind == "STRING" and words:
        return [*words[1].split(", "), words[2]]
    if required:
        raise SystemExit(f"{name}: its record does not say what it may be")
    return []


class Operator:
    """What a record says of an elementwise operator."""

    def __init__(self, records, name, record):
        self.name = name
        self.domain, _, self.op_type = ("ai.onnx.ml", "", name[3:]) if name.startswith("ml.") else ("", "", name)
        self.operands, self.choices = [], {}
        for argument, constraint in records.named(record, "arguments"):
            if "AttrConstraint" in constraint["!superclasses"]:
                if values := choices(argument, *records.attribute(constraint), record["description"]):
                    self.choices[argument] = values
                continue
            arity, operand_class, types, variable = records.value(constraint)
            types = sorted(t for t in (t.removeprefix("tensor(").removesuffix(")") for t in types) if t not in SKIPPED)
            self.operands += [(operand_class, types, variable)] * (3 if arity == "Variadic" else 1)
        (_, result), *_ = records.named(record, "results")
        _, _, types, self.result = records.value(result)
        self.results = sorted(t[7:-1] for t in types if t[7:-1] not in SKIPPED)

    def variants(self):
        """Types of the operands, and attributes."""
        keys = [variable or f"operand {k}" for k, (_, _, variable) in enumerate(self.operands)]
        choices = dict(zip(keys, (types for _, types, _ in self.operands)))
        for types in itertools.product(*choices.values()):
            chosen = dict(zip(choices, types))
            for attributes in self.attributes([chosen[key] for key in keys]):
                if self.op_type == "BitCast" and bits_of(types[0]) != bits_of(TensorProto.DataType.Name(attributes["to"]).lower()):
                    continue  # its constraint C1
                yield [chosen[key] for key in keys], attributes

    def attributes(self, types):
        lists = [[(name, number_of(t)) for t in self.results] if name == "to" else [(name, value) for value in values]
                 for name, values in self.choices.items()]
        for chosen in map(dict, itertools.product(*lists)):
            if self.is_meant(types, chosen):
                yield chosen

    def is_meant(self, types, attributes):
        """Whether an attribute that is given says anything: conversions saturate to floats of 8 bits only."""
        if attributes.get("saturate") != 0:
            return True
        return (TensorProto.DataType.Name(attributes["to"]).lower() if "to" in attributes else types[-1]).startswith("float8")


@dataclass
class Node:
    types: list
    attributes: dict
    operands: list

    def result_type(self):
        """Of a conversion."""
        return TensorProto.DataType.Name(self.attributes["to"]).lower() if "to" in self.attributes else self.types[-1]


@dataclass
class AgreementCase:
    """As the harness has the suite's cases."""
    success: ClassVar[str] = "pass"
    operator: Operator
    number: int
    folder: Path
    nodes: list = field(default_factory=list)
    found: dict = field(default_factory=dict)
    # The judge compares bits.
    rtol: float = 0
    atol: float = 0

    def __post_init__(self):
        self.name, self.identifier = self.operator.name, f"case_{self.number:04}"
        self.model = self.folder / f"{self.number}.onnx"
        for types, attributes in self.operator.variants():
            if self.operator.op_type == "Mod" and numpy_type(types[0]).kind not in "iu" and not attributes.get("fmod"):
                continue  # of operator set 28 only, which ONNX Runtime does not have
            operands = elements([numpy_type(t) for t in types], zlib.crc32(f"{self.name} {types}".encode()))
            for k, (operand_class, _, _) in enumerate(self.operator.operands):
                if operand_class in ("Param", "DimsOnly"):
                    operands[k] = operands[k][k * 5 % 11].reshape(())
            self.nodes.append(Node(types, attributes, operands))
        self.build()

    def build(self):
        graph = helper.make_graph([], "agreement", [], [])
        self.inputs, tensors = [], {}

        def tensor(kind, array, element):
            key = kind, element, array.shape, array.tobytes()
            if key not in tensors:
                name = tensors[key] = f"{kind}_{len(tensors)}"
                if kind == "input":
                    graph.input.append(helper.make_tensor_value_info(name, number_of(element), array.shape))
                    self.inputs.append(array)
                else:
                    graph.initializer.append(numpy_helper.from_array(array, name))
            return tensors[key]

        for number, node in enumerate(self.nodes):
            for kind in "input", "constant":
                names = [tensor(kind, a, t) for a, t in zip(node.operands, node.types)]
                graph.node.append(helper.make_node(self.operator.op_type, names, [f"{kind}_y{number}"],
                                                   domain=self.operator.domain, **node.attributes))
                graph.output.append(helper.make_tensor_value_info(f"{kind}_y{number}", TensorProto.UNDEFINED, None))
        opsets = [helper.make_opsetid("", 28), helper.make_opsetid("ai.onnx.ml", 5)]
        for value in graph.output:
            value.type.tensor_type.ClearField("elem_type")
        inferred = helper.make_model(graph, opset_imports=opsets, ir_version=14)
        types = {v.name: v.type for v in onnx.shape_inference.infer_shapes(inferred).graph.output}
        for value in graph.output:
            value.type.CopyFrom(types[value.name])
        self.proto = helper.make_model(graph, opset_imports=opsets, ir_version=14)
        onnx.save(self.proto, self.model)

    def load(self):
        return self.proto

    def data_sets(self):
        return [(self.inputs, [])]


def canonical(array):
    """Elements as integers that are equal where the elements are the same; NaN is one of them."""
    if array.dtype.kind in "biu":
        return array
    if "int" in array.dtype.name:
        return array.astype(np.int8)
    bits = array.view(f"u{array.dtype.itemsize}").copy()
    with np.errstate(invalid="ignore"):
        bits[np.isnan(array.astype(np.float64))] = np.iinfo(bits.dtype).max
    return bits


def exact_functions():
    """The scalar functions that all machines compute alike, as records call them."""
    table = Records(source="Dialect/Prog/IR/ScalarOps.td").table
    for name in table["!instanceof"]["Prog_ScalarOp"]:
        if table[name]["exact"]:
            first, *others = table[name]["opName"].removeprefix("s_").split("_")
            yield first + "".join(word.capitalize() for word in others)


def helpers():
    """The bodies of functions that records call, by name, without those that choose an intermediate precision."""
    text = (COMPILER / "Dialect/ONNX/IR/ScalarFunctions.cpp").read_text()
    bodies = dict(re.findall(r"^\w+ onnx::(\w+)\([^{]*\{\n(.*?)^\}", text, re.M | re.S))
    if len(bodies) < 8:
        raise SystemExit(f"only {len(bodies)} functions for records: what does ScalarFunctions.cpp say?")
    return {name: body for name, body in bodies.items() if name != "inFloat"}


def is_exact(text, known, functions, bodies):
    """Whether code is such functions, and no other: `known` is what says nothing of numbers."""
    called = set(re.findall(r"\bb\.(\w+)\(", text))
    others = set(re.findall(r"(?<![.\w])([a-z]\w*)\(", text)) - known
    return bool(called | others) and called <= functions | {"constant"} and others <= set(bodies) and all(
        is_exact(bodies[name], known, functions, bodies) for name in others)


def getters(records, record):
    """How a record's code reads its attributes and types."""
    names = [name for name, _ in records.named(record, "arguments") + records.named(record, "results")]
    return {f"get{name[0].upper()}{name[1:]}" for name in (re.sub(r"_(\w)", lambda m: m[1].upper(), name) for name in names)}


def is_open(operator, node):
    """The elements of a result that ONNX leaves open, or that another runtime need not survive."""
    x, y = node.operands[0], node.operands[-1]
    if operator.op_type in ("Cast", "CastLike") and x.dtype.kind not in "iub" and "int" not in x.dtype.name:
        if node.result_type() == "bool" and bits_of(node.types[0]) == 8:  # -0, which ONNX Runtime takes for true
            return x == 0
        return leaves_range(x, numpy_type(node.result_type()))
    if node.attributes.get("fmod") == 1 and x.dtype.kind in "iu" and x.dtype.itemsize == 8:  # by way of double, in ONNX Runtime
        return (y == 0) | (np.abs(x.astype(np.float64)) > 2**53) | (np.abs(y.astype(np.float64)) > 2**53)
    if operator.op_type == "BitShift":  # by more bits than there are
        return y.astype(np.uint64) >= 8 * y.dtype.itemsize
    if operator.op_type == "Clip":  # NaN, of which ONNX says nothing
        return np.logical_or.reduce([np.broadcast_to(operand != operand, x.shape) for operand in node.operands])
    if operator.op_type == "Mean":  # which ONNX Runtime multiplies by a reciprocal
        return np.ones(x.shape, bool)
    if operator.op_type == "Sign":  # NaN, which of a half ONNX Runtime makes 0
        return x != x
    if operator.op_type in ("Div", "Mod") and x.dtype.kind in "iu":
        least = x.dtype.kind == "i" and x == np.iinfo(x.dtype).min
        return (y == 0) | (least & (y.astype(np.int64) == -1))
    return np.zeros(np.broadcast_shapes(*(operand.shape for operand in node.operands)), bool)


def leaves_range(x, dtype):
    """The floats that an integer type does not have."""
    if dtype.kind not in "iu" and "int" not in dtype.name:
        return np.zeros(x.shape, bool)
    info = ml_dtypes.iinfo(dtype)
    with np.errstate(invalid="ignore"):
        whole = np.trunc(x.astype(np.float64))
    return ~((whole >= float(info.min)) & (whole < float(info.max) + 1))


def ask_onnxruntime(operator, node):
    """Its result, and which elements of it count; nothing where it does not have the operator for these types."""
    import onnxruntime
    if any(bits_of(element) < 8 for element in node.types):  # what NumPy hands over is not packed
        return None
    undefined = is_open(operator, node)
    if undefined.all():
        return None
    operands = list(node.operands)
    if undefined.any() and operands[-1].shape == undefined.shape:
        operands[-1] = np.where(undefined, np.ones((), operands[-1].dtype), operands[-1])
    names = [f"x{k}" for k in range(len(operands))]
    made = helper.make_node(operator.op_type, names, ["y"], domain=operator.domain, **node.attributes)
    inputs = [helper.make_tensor_value_info(n, number_of(t), a.shape) for n, t, a in zip(names, node.types, operands)]
    graph = helper.make_graph([made], "one", inputs, [helper.make_tensor_value_info("y", TensorProto.UNDEFINED, None)])
    opsets = [helper.make_opsetid("", 22), helper.make_opsetid("ai.onnx.ml", 4)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    try:
        graph.output[0].type.CopyFrom(next(v.type for v in onnx.shape_inference.infer_shapes(model).graph.output))
        model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
        run = onnxruntime_runner(model)
        return run(dict(zip(names, operands)))[0], ~undefined
    except Exception:  # whatever it says of what it lacks
        return None


class Differences:
    def __init__(self):
        self.count = self.asked = 0

    def compare(self, case, node, one, a, other, b):
        if a.dtype != b.dtype or a.shape != b.shape:
            return self.tell(f"{case.name} {node.types} {node.attributes}: {one} {a.dtype}{a.shape}, {other} {b.dtype}{b.shape}")
        wrong = np.flatnonzero(canonical(a).ravel() != canonical(b).ravel())
        if wrong.size:
            at = wrong[0]
            x = [operand.ravel()[at if operand.size > 1 else 0] for operand in node.operands]
            self.tell(f"{case.name} {node.types} {node.attributes}: {wrong.size} elements, {x}: {one} {a.ravel()[at]!r}, "
                      f"{other} {b.ravel()[at]!r}")

    def hold(self, case, node, got):
        """Against ONNX Runtime; zeros of both signs are one number."""
        answer = ask_onnxruntime(case.operator, node)
        if answer is None:
            return
        need, counts = answer
        self.asked += 1
        equal = (got == need) | ((got != got) & (need != need))
        wrong = np.flatnonzero(~equal & counts)
        if wrong.size:
            at = wrong[0]
            x = [operand.ravel()[at if operand.size > 1 else 0] for operand in node.operands]
            self.tell(f"{case.name} {node.types} {node.attributes}: {wrong.size} elements, {x}: got {got.ravel()[at]!r}, "
                      f"ONNX Runtime {need.ravel()[at]!r}")

    def tell(self, text):
        self.count += 1
        print(text, flush=True)


def keep(target):
    """A judge that keeps what a run gave."""
    def judge(case, _, result):
        if result.texts["status"] != "OK" or result.texts["fault"]:
            return Outcome(f"run-{result.texts['status']}", result.texts["message"] + result.texts["fault"])
        case.found[target] = result.outputs
        return None

    return judge


def main():
    cameo, scratch, *names = sys.argv[1:]
    scratch = Path(scratch).resolve()
    shutil.rmtree(scratch, ignore_errors=True)
    models = scratch / "models"
    models.mkdir(parents=True)
    records = Records()
    operators = [Operator(records, name, record) for name, record in sorted(records.operators().items()) if record["scalar"]]
    functions = set(exact_functions())
    bodies = helpers()
    exact = {name for name, record in records.operators().items() if record["scalar"] and is_exact(
        record["scalar"], getters(records, record) | {"foldLeft", "elementTypeOf"}, functions, bodies)}
    if len(operators) < 60 or len(exact) < 25:
        raise SystemExit(f"only {len(operators)} operators have a scalar function, {len(exact)} an exact one: what do the records say?")
    taken = [operator for operator in operators if operator.name in names] if names else sample("agreement", operators)
    cases = [AgreementCase(operator, number, models) for number, operator in enumerate(taken)]
    differences = Differences()
    for target in TARGETS:
        outcomes = Harness(cameo, target, scratch, judge=keep(target)).take(cases)
        for case in cases:
            outcome = outcomes.get(case.name, Outcome("missing"))
            if outcome.kind != "pass":
                differences.tell(f"{case.name} on {target}: {outcome.kind}: {outcome.detail[:400]}")
    for case in cases:
        for number, node in enumerate(case.nodes):
            ways = [(f"{kind} on {target}", outputs[2 * number + k]) for target, outputs in case.found.items()
                    for k, kind in enumerate(("kernel", "constant"))]
            for (one, a), (other, b) in zip(ways, ways[1:]):
                differences.compare(case, node, one, a, other, b)
            if case.name in exact and ways:
                differences.hold(case, node, ways[0][1])
    nodes = sum(len(case.nodes) for case in cases)
    if len(taken) == len(operators) and differences.asked < LEAST_ASKED:
        differences.tell(f"ONNX Runtime has only {differences.asked} of the combinations: why?")
    print(f"{len(cases)} of {len(operators)} operators, {nodes} combinations of types, {differences.asked} that "
          f"ONNX Runtime has too, {differences.count} differences")
    return 1 if differences.count else 0


if __name__ == "__main__":
    sys.exit(main())
