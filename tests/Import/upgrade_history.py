#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the upgrade tables against the history of ONNX's operators: upgrade_history.py IMPORT_FILE.

A version of an operator that takes something away, moves an attribute to an input, or changes a default needs a row of
a table. One that only adds inputs, outputs, types, or attributes whose default is the old behaviour needs none; where
the default is not, ADDED says so.
"""
import subprocess
import sys
from collections import defaultdict

import onnx
from onnx import defs

# Attributes that were added with a default that is not what the operator did before.
ADDED = {("Resize", "coordinate_transformation_mode"), ("Resize", "nearest_mode"), ("RoiAlign", "coordinate_transformation_mode")}
# Changes that need no row, with the reason.
FINE = {
    ("Clip", 6): "its bounds got the defaults that no bound has",
    ("Split", 2): "the row refuses the input, and the default of axis is written down",
    ("MaxPool", 8): "an output was added",
    ("OptionalHasElement", 18): "its input may be left out",
    ("ml.TreeEnsembleClassifier", 5): "deprecated, but an operator of its own",
    ("ml.TreeEnsembleRegressor", 5): "deprecated, but an operator of its own",
}
PREFIXES = {"": "", "ai.onnx.ml": "ml.", "ai.onnx.preview": "preview.", "ai.onnx.preview.training": "training."}


def default(attribute):
    value = attribute.default_value
    return onnx.helper.get_attribute_value(value) if value.name else None


def breaks(old, new):
    """What a node in the old form may have that the new form does not, or that means something else there."""
    if new.deprecated:
        yield "is deprecated"
    for name, attribute in old.attributes.items():
        if name not in new.attributes:
            yield f"loses attribute {name}"
        elif attribute.type != new.attributes[name].type:
            yield f"changes the type of attribute {name}"
        elif default(attribute) != default(new.attributes[name]):
            yield f"changes the default of attribute {name}"
    for name, attribute in new.attributes.items():
        if name not in old.attributes and (attribute.required or (new.name, name) in ADDED):
            yield f"needs attribute {name}"
        elif name in old.attributes and attribute.required and not old.attributes[name].required:
            yield f"requires attribute {name}"
    if len(new.inputs) < len(old.inputs):
        yield "loses an input"
    if new.min_input > old.min_input:
        yield "requires an input"
    if len(new.outputs) < len(old.outputs):
        yield "loses an output"


def main():
    rows, first, names = defaultdict(set), {}, []
    for line in subprocess.run([sys.argv[1], "--history"], check=True, capture_output=True, text=True).stdout.splitlines():
        kind, operator, since = line.split()
        if kind == "upgrade":
            rows[operator].add(int(since))
        else:
            first[operator] = int(since)
            names.append(operator)

    history = defaultdict(dict)
    for schema in defs.get_all_schemas_with_history():
        history[PREFIXES[schema.domain] + schema.name][schema.since_version] = schema

    findings, covered = [], set()
    # The compiler searches them by bisection.
    if names != sorted(names):
        findings.append("the first versions are not in order")
    for operator in sorted(set(history) | set(first)):
        version = min(history.get(operator, {0: None}))
        if first.get(operator, 1) != version:
            findings.append(f"{operator}: came with operator set {version}, not {first.get(operator, 1)}")
    for operator, versions in sorted(history.items()):
        numbers = sorted(versions)
        for before, after in zip(numbers, numbers[1:]):
            reasons = list(breaks(versions[before], versions[after]))
            if after in rows[operator]:
                covered.add((operator, after))
            elif reasons and (operator, after) not in FINE:
                findings.append(f"{operator} {after}: no upgrade, but it " + ", ".join(reasons))
    for operator, sinces in rows.items():
        for since in sinces:
            if since < 2**62 and (operator, since) not in covered:
                findings.append(f"{operator} {since}: an upgrade to a version that ONNX does not have")
    print("\n".join(findings) or f"{len(covered)} upgrades cover the history of {len(history)} operators")
    sys.exit(bool(findings))


main()
