#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No node of a model is lost: provenance.py CAMEO MODELS SCRATCH. Compiles every model for each target and looks for each
of its nodes, those of subgraphs and functions included, in plan.json: under a step, a weight or "folded".
"""
import shutil
import subprocess
import sys
from pathlib import Path

import onnx

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from schemas import read_report  # noqa: E402


def node_names(nodes, functions, path=""):
    for node in nodes:
        name = path + (node.name or next(filter(None, node.output), ""))
        if (node.domain, node.op_type) in functions:
            yield from node_names(functions[node.domain, node.op_type].node, functions, f"{name}/")
            continue
        yield name
        for attribute in node.attribute:
            for graph in [attribute.g, *attribute.graphs]:
                yield from node_names(graph.node, functions, path)


def named(plan):
    """Every name of a "nodes" list, bodies included, and of what was folded."""
    if isinstance(plan, list):
        for value in plan:
            yield from named(value)
    elif isinstance(plan, dict):
        for node in plan.get("nodes", []):
            yield node["name"]
        for value in plan.values():
            yield from named(value)


def check(cameo, path, target, scratch):
    """(faults, nodes, folded nodes)"""
    shutil.rmtree(scratch, ignore_errors=True)
    subprocess.run([cameo, "compile", path, "-o", scratch, "--target", target, "--name", "net"], check=True)
    plan = read_report("plan", scratch / "net.plan.json")
    model = onnx.load(path, load_external_data=False)
    expected = list(node_names(model.graph.node, {(f.domain, f.name): f for f in model.functions}))
    listed, folded = set(named(plan)), [node["name"] for node in plan["folded"]]
    where = f"{path.stem} {target}"
    faults = [f"{where}: '{name}' is lost" for name in expected if name not in listed | set(folded)]
    faults += [f"{where}: '{name}' is folded and named" for name in folded if name in listed]
    faults += [f"{where}: '{node['name']}' is folded into '{node['into']['name']}', which is not named"
               for node in plan["folded"] if "into" in node and node["into"]["name"] not in listed | {""}]
    return faults, len(expected), len(folded)


def main():
    cameo, models, scratch = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    faults, nodes, folded = [], 0, 0
    for path in sorted(models.glob("*/*.onnx")):
        for target in ("cpu", "cuda"):
            more = check(cameo, path, target, scratch)
            faults += more[0]
            nodes += more[1]
            folded += more[2]
    shutil.rmtree(scratch, ignore_errors=True)
    print("\n".join(faults) or f"{nodes} nodes, {folded} of them folded into others")
    sys.exit(1 if faults or not nodes else 0)


main()
