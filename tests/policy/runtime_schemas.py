# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The schemas of ONNX Runtime's own operators, in the form that onnx.defs gives its own."""
from types import SimpleNamespace

import onnx
from onnxruntime.capi.onnxruntime_pybind11_state import get_all_operator_schema

# Of the domain of ONNX itself, these are ONNX Runtime's.
DOMAINS = {"com.microsoft": "ms.", "": ""}


def enumerator(value):
    """Of an enumeration by pybind11 only the text has the name."""
    return SimpleNamespace(name=str(value).rpartition(".")[2])


def parameter(given):
    return SimpleNamespace(name=given.name, types=set(given.types), type_str=given.typeStr, option=enumerator(given.option),
                           is_homogeneous=given.isHomogeneous, min_arity=1)


def attribute(given):
    return SimpleNamespace(type=enumerator(given.type), required=given.required,
                           default_value=onnx.AttributeProto.FromString(given._default_value))


def newest_schemas(known):
    """By the names of the dialect, but for those that `known` has, and in the last form that was not ended."""
    newest = {}
    for schema in get_all_operator_schema():
        name = DOMAINS.get(schema.domain, "?") + schema.name
        is_ours = schema.domain in DOMAINS and name not in known and not schema.deprecated
        if not is_ours or schema.since_version < newest.get(name, schema).since_version:
            continue
        newest[name] = SimpleNamespace(
            domain=schema.domain, since_version=schema.since_version,
            inputs=[parameter(each) for each in schema.inputs], outputs=[parameter(each) for each in schema.outputs],
            attributes={key: attribute(value) for key, value in schema.attributes.items()})
    return newest
