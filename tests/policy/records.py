#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds every record of compiler/Dialect/ONNX/IR against onnx.defs, or ONNX Runtime's schemas where ONNX has none: version,
operands, results, attributes and their defaults, graphs, element types, type variables. Needs the packages onnx and onnxruntime, and
llvm-tblgen of MLIR's version, named by the only argument.

Findings that are meant are in records.txt, one `operator: kind: reason` per line; a line that is not needed is a
finding too."""
import json
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import onnx
from onnx import defs

import runtime_schemas
from element_types import element_types

HERE = Path(__file__).resolve().parent
COMPILER = HERE.parents[1] / "compiler"
# How the names of a domain's operators begin in the dialect; every operator must have a record.
PREFIXES = {"": "", "ai.onnx.ml": "ml.", "ai.onnx.preview": "preview.", "ai.onnx.preview.training": "training."}

ATTRIBUTES = {"ONNX_Int": "INT", "F32Attr": "FLOAT", "StrAttr": "STRING", "DenseI64ArrayAttr": "INTS",
              "DenseF32ArrayAttr": "FLOATS", "StrArrayAttr": "STRINGS", "ElementsAttr": "TENSOR",
              "TypeAttr": "TYPE_PROTO"}
# What ONNX calls an element, by the name that it has in records. MLIR names no integer below a byte.
ELEMENTS = {element.record: element.onnx.lower() for element in element_types()}


class Records:
    """The dump of a file of records, OnnxOps.td."""

    def __init__(self, program="llvm-tblgen-22", source="Dialect/ONNX/IR/OnnxOps.td"):
        tblgen = shutil.which(program)
        include = Path(tblgen).resolve().parents[1] / "include"
        text = subprocess.run([tblgen, "--dump-json", f"-I{COMPILER}", f"-I{include}",
                               str(COMPILER / source)],
                              check=True, capture_output=True, text=True).stdout
        self.table = json.loads(text)

    def follow(self, reference):
        return self.table[reference["def"]]

    def named(self, record, field):
        return [(name, self.follow(value)) for value, name in record[field]["args"]]

    def operators(self):
        return {self.table[name]["opName"]: self.table[name] for name in self.table["!instanceof"]["ONNX_Op"]}

    def element_name(self, reference):
        record = self.follow(reference)
        if "ComplexType" in record["!superclasses"] or "Complex" in record["!superclasses"]:
            part = self.follow(record["elementType"])["!name"]
            return {"F32": "complex64", "F64": "complex128"}[part]
        return ELEMENTS[reference["def"]]

    def value(self, record):
        """Arity, class, types and type variable of an operand or result."""
        arity = "Single"
        for wrapper in "Optional", "Variadic":
            if wrapper in record["!superclasses"]:
                arity, record = wrapper, self.follow(record["baseType"])
        operand_class = None
        if "ONNX_OperandClass" in record["!superclasses"]:
            operand_class, record = record["operandClass"], self.follow(record["baseConstraint"])
        types = variable = None
        if "ONNX_TypeVariable" in record["!superclasses"]:
            wrap = "{}".format
            if "ONNX_SequenceOf" in record["!superclasses"]:
                wrap = "seq({})".format
            if "ONNX_OptionalOf" in record["!superclasses"]:
                wrap = "optional({})".format
            types = {wrap(f"tensor({self.element_name(e)})") for e in record["allowedElements"]}
            variable = record["variable"]
        return arity, operand_class, types, variable

    def attribute(self, record):
        """Type, whether it must be given, default."""
        required, default = True, None
        if "OptionalAttr" in record["!superclasses"]:
            required, record = False, self.follow(record["baseAttr"])
        elif "DefaultValuedAttr" in record["!superclasses"]:
            required, default = False, record["defaultValue"]
            record = self.follow(record["baseAttr"])
        return ATTRIBUTES.get(record["!name"], record["!name"]), required, default


def read_default(kind, text):
    """The value that the C++ expression of a default has."""
    if text is None:
        return None
    if kind == "INT":
        return int(text)
    if kind == "FLOAT":
        return struct.unpack("f", struct.pack("f", float(text.rstrip("f"))))[0]
    if kind == "STRING":
        return text.strip('"').encode()
    words = re.findall(r'[-\w.]+', text)
    return [int(word) if kind == "INTS" else word.encode() for word in words]


def newest_schemas():
    newest = {}
    for schema in defs.get_all_schemas_with_history():
        if schema.domain not in PREFIXES:
            continue
        name = PREFIXES[schema.domain] + schema.name
        if schema.since_version >= newest.get(name, schema).since_version:
            newest[name] = schema
    return newest


def compare_values(records, record, field, parameters, schema):
    """Operands or results: names, order, arity, types, and which of them share a type."""
    values = [(name, value) for name, value in records.named(record, field)
              if "TypeConstraint" in value["!superclasses"]]
    kind = {"arguments": "operands", "results": "results"}[field]
    got = [name for name, _ in values]
    need = [parameter.name for parameter in parameters]
    if got != need:
        yield kind, f"got {got}, need {need}"
        return
    for (name, value), parameter in zip(values, parameters):
        arity, operand_class, types, variable = records.value(value)
        if field == "arguments" and operand_class is None:
            yield "class", f"operand {name} has no class"
        option = parameter.option.name
        # Optional results are always there; one that nothing uses costs nothing.
        if arity != option and not (field == "results" and option == "Optional" and arity == "Single"):
            yield kind, f"{name} is {arity}, need {option}"
        if types is None:
            yield "types", f"{name} may be of any type"
        elif types != set(parameter.types):
            missing, extra = set(parameter.types) - types, types - set(parameter.types)
            yield "types", f"{name} lacks {sorted(missing)}, has {sorted(extra)} too"
        need_variable = parameter.type_str if len(parameter.types) > 1 and parameter.is_homogeneous else ""
        if "(" in need_variable:
            need_variable = ""
        if variable is not None and variable != need_variable:
            yield "variables", f"{name} has type variable '{variable}', need '{need_variable}'"
    if field == "arguments" and parameters and parameters[-1].option.name == "Variadic":
        # What verifyElementTypes takes for granted.
        if (parameters[-1].min_arity == 0) != (len(parameters) > 1):
            yield "operands", f"{need[-1]} needs at least {parameters[-1].min_arity}"


def compare_attributes(records, record, schema):
    got = {name: records.attribute(value) for name, value in records.named(record, "arguments")
           if "AttrConstraint" in value["!superclasses"] and "ONNX_StageAttr" not in value["!superclasses"]}
    graphs = [name for name, _ in records.named(record, "regions")]
    for name in sorted(set(got) | set(graphs) | set(schema.attributes)):
        need = schema.attributes.get(name)
        if need is None:
            yield "attributes", f"{name} is not an attribute"
        elif name in graphs:
            if need.type.name != "GRAPH":
                yield "attributes", f"{name} is no graph"
        elif name not in got:
            yield "attributes", f"{name} is missing"
        else:
            kind, required, default = got[name]
            need_default = onnx.helper.get_attribute_value(need.default_value) if need.default_value.name else None
            if kind != need.type.name:
                yield "attributes", f"{name} is {kind}, need {need.type.name}"
            elif required != need.required:
                yield "attributes", f"{name} must {'not ' if required else ''}be required"
            elif read_default(kind, default) != need_default:
                yield "defaults", f"{name} defaults to {default}, need {need_default}"


def compare(records, record, schema):
    if record["sinceVersion"] != schema.since_version:
        yield "version", f"got {record['sinceVersion']}, need {schema.since_version}"
    yield from compare_values(records, record, "arguments", schema.inputs, schema)
    yield from compare_values(records, record, "results", schema.outputs, schema)
    yield from compare_attributes(records, record, schema)


def exceptions():
    for number, line in enumerate((HERE / "records.txt").read_text().splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            operator, kind, reason = (part.strip() for part in line.split(":", 2))
            yield (operator, kind), number


def main():
    records, schemas = Records(*sys.argv[1:]), newest_schemas()
    of_runtime = runtime_schemas.newest_schemas(schemas)
    allowed, used, findings = dict(exceptions()), set(), []
    operators = records.operators()
    for name, record in sorted(operators.items()):
        schema = schemas.get(name) or of_runtime.get(name)
        found = compare(records, record, schema) if schema else [("version", "ONNX has no such operator")]
        for kind, text in found:
            if (name, kind) in allowed:
                used.add((name, kind))
            else:
                findings.append(f"{name}: {kind}: {text}")
    for name, schema in sorted(schemas.items()):
        if name not in operators and not schema.deprecated:
            if (name, "missing") in allowed:
                used.add((name, "missing"))
            else:
                findings.append(f"{name}: missing: no record")
    findings += [f"records.txt:{line}: not needed" for key, line in allowed.items() if key not in used]
    print("\n".join(findings))
    sys.exit(bool(findings))


if __name__ == "__main__":
    main()
