#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions by each of their variants, beside the one that prices choose: choices.py CAMEO FOLDER [--write] NETWORK...

Each alternative is forced for all convolutions that it is not refused for by a plan (`--plan`), and `cameo bench --profile` times
the kernels of each node, with what packs its image or transforms its weights. Networks are those of bench/versus, made into FOLDER;
programs are timed in turns. --write puts rows into results/choices.md."""
import argparse
import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import onnx

from copies import ROOT
from machine import processor

sys.path.append(str(ROOT / "bench/versus"))
import models  # noqa: E402

ROUNDS, SECONDS = 3, 1
RESULTS = ROOT / "bench/results/choices.md"
HEAD = ["| network | convolutions with a choice | within 5 % | within 15 % | lost in all | farthest |", "|--|--:|--:|--:|--:|--|"]


class Network:
    def __init__(self, cameo, path):
        self.cameo, self.path = cameo, path
        self.plan_file = path.with_suffix(".plan.json")
        report = json.loads(self.call("explain", "--emit-plan", self.plan_file, "--kernels", "--json", "-").stdout)
        self.plan = json.loads(self.plan_file.read_text())
        self.chosen = self.plan["plan"]["variants"]
        self.allowed = {row["node"]: {way["name"] for way in row["ways"] if "refused_by" not in way} for row in report["kernels"] if row["ways"]}
        self.sizes = {way["name"] for row in report["kernels"] for way in row["ways"] if way.get("choices")}

    def call(self, verb, *arguments, check=True):
        return subprocess.run([self.cameo, verb, self.path, *map(str, arguments)], capture_output=True, text=True, check=check)

    def alternatives(self):
        names = sorted({name for node in self.chosen for name in self.allowed[node]})
        return [(name, {"size": size} if size else {}) for name in names for size in ((4, 6) if name in self.sizes else (0,))]

    def force(self, name, choices):
        """The file of a plan by which nodes have this variant, and these nodes."""
        forced = {node for node in self.chosen if name in self.allowed[node]}
        file = self.path.with_suffix(f".{name}{choices.get('size', '')}.json")
        while True:
            others = {node: [{"variant": name, "choices": choices}] if node in forced else ranges for node, ranges in self.chosen.items()}
            file.write_text(json.dumps({"plan": {**self.plan["plan"], "variants": others}}))
            done = self.call("explain", "--plan", file, check=False)
            if done.returncode == 0:
                return file, forced
            # The sizes that a variant has differ by convolution.
            refused = re.search(r": \S*/(\S+): is to be computed by", done.stderr)
            forced -= {node for node in forced if node.partition(":")[2] == refused[1]} if refused else forced

    def times(self, plan):
        """Milliseconds by node."""
        done = json.loads(self.call("bench", "--plan", plan, "--profile", "--seconds", SECONDS, "--json", "-").stdout)
        times = defaultdict(float)
        for row in done["by_node"]:
            first = row["nodes"][0] if row["nodes"] else {"op": "", "name": ""}
            if "clear_halo" not in row["kernel"]:
                times[f"{first['op']}:{first['name']}"] += row["ms"]
        return times


def measure(network):
    """By node the milliseconds of what was chosen, and of each alternative."""
    plans = {"chosen": (network.plan_file, set(network.chosen))}
    for name, choices in network.alternatives():
        plan, forced = network.force(name, choices)
        if forced:
            plans[f"{name} {choices.get('size', '')}".strip()] = (plan, forced)
    best = defaultdict(dict)
    for _ in range(ROUNDS):
        for name, (plan, nodes) in plans.items():
            times = network.times(plan)
            for node in nodes & times.keys():
                best[node][name] = min(times[node], best[node].get(name, times[node]))
    # Nodes whose only alternative is what they have are no choice.
    return {node: ways for node, ways in best.items() if len(ways) > 2 and "chosen" in ways}


def row_of(name, best):
    ratios = {node: ways["chosen"] / min(ways.values()) for node, ways in best.items()}
    lost = sum(ways["chosen"] for ways in best.values()) / sum(min(ways.values()) for ways in best.values()) - 1
    far = max(ratios, key=ratios.get)
    by = min(best[far], key=best[far].get)
    within = [sum(ratio <= most for ratio in ratios.values()) for most in (1.05, 1.15)]
    return f"| {name} | {len(best)} | {within[0]} | {within[1]} | {100 * lost:.1f} % | {ratios[far]:.2f} by {by} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cameo", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("networks", nargs="+")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    rows = {}
    for name in options.networks:
        path = options.folder / f"{name}.onnx"
        onnx.save(models.MODELS[name](), path)
        best = measure(Network(options.cameo.resolve(), path))
        (options.folder / f"{name}.choices.json").write_text(json.dumps(best, indent=1))
        rows[name] = row_of(name, best)
        print(rows[name], flush=True)
    if options.write:
        text = ["# choices: convolutions beside their other variants", "",
                "Each convolution of a network by the variant that prices choose, and by each other one that is not refused, all in the",
                f"network. One thread, `-march=native`, {processor()}; `bench/choices.py CAMEO FOLDER --write NETWORK...` writes this table.",
            "Larger tiles that would be a fifth faster were left out for memory: the network is at its `--weights-budget`.", ""]
        RESULTS.write_text("\n".join(text + HEAD + list(rows.values())) + "\n")


if __name__ == "__main__":
    main()
