#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Does what the README of a generated folder says: generated.py [SCRATCH] [--seed N | --all | --only TEXT].

The digits sample is compiled for targets x --weights x --heap x --threads, of which a seed chooses as few as have every
value of every option. The command in the README must make the same folder, the files it lists must be there, each
build must give a program that answers as ONNX Runtime does, and the lines of C++ must compile, link and run."""
import argparse
import filecmp
import itertools
import os
import random
import re
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from share import LONG, sample  # noqa: E402
from snippets import read_snippets
from workshop import DIGITS, ROOT, Failed, Skipped, Workshop, read_data_set

# The runtime of cuda has neither switch: tests/tools holds that they are refused.
MATRIX = [*itertools.product(["cpu"], ("embed", "file", "extern"), ("runtime", "none"), (None, 0)),
          *itertools.product(["cuda"], ("embed", "file", "extern"), ["runtime"], [None])]
# What is known to fail, by what it is about (a regular expression over `CONFIGURATION: WHAT`): the reason.
EXPECTED_FAILURES = {
    r" (file|extern) none .*: cpp": "without files the weights are memory of the caller's, which the README cannot show",
}


@dataclass(frozen=True)
class Configuration:
    target: str
    weights: str
    heap: str
    threads: object

    def __str__(self):
        return f"{self.target} {self.weights} {self.heap} {'one thread' if self.threads == 0 else 'threads'}"

    def flags(self):
        flags = ["--target", self.target, "--weights", self.weights, "--heap", self.heap]
        flags += ["--threads", "0"] if self.threads == 0 else []
        # Without a heap, every extent needs a bound.
        return flags + (["--dim", "batch=1..64"] if self.heap == "none" else [])


def choose(seed):
    """Six of the matrix with every value of every option, four of them of cpu, which builds faster."""
    rng = random.Random(seed)
    everything = [Configuration(*values) for values in MATRIX]
    while True:
        chosen = rng.sample(everything, 6)
        switches = [(one.heap, one.threads) for one in chosen if one.target == "cpu"]
        if len(switches) == 4 and len(set(switches)) == 4 and len({one.weights for one in chosen}) == 3:
            return sorted(chosen, key=str)


def find_nvcc():
    for nvcc in (os.environ.get("NVCC", "nvcc"), "/usr/local/cuda/bin/nvcc", ROOT / ".cuda" / "toolkit" / "bin" / "nvcc"):
        if shutil.which(nvcc):
            return Path(shutil.which(nvcc))
    return None


class Trial:
    """One configuration, step by step; what each step came to is printed and counted."""
    def __init__(self, configuration, scratch, counts):
        self.name, self.configuration, self.counts = str(configuration), configuration, counts
        self.shop = Workshop(scratch / self.name.replace(" ", "-"))
        self.shop.add_digits(self.shop.folder)
        shutil.copy(DIGITS / "digits.onnx", self.shop.folder)
        self.nvcc = find_nvcc()
        if self.nvcc:
            # Without a GPU `native` is nvcc's own default, which lacks what products on the tensor core need.
            native = "" if shutil.which("nvidia-smi") else " -arch=sm_80"
            self.shop.environment.update(CUDACXX=str(self.nvcc), NVCC_APPEND_FLAGS="-t 2" + native)
            self.shop.environment["PATH"] += f":{self.nvcc.parent}"
        self.shop.run("cameo compile digits.onnx -o net " + " ".join(configuration.flags()))
        self.net = self.shop.folder / "net"
        self.snippets = read_snippets(self.net / "README.md", "README.md")
        self.programs = [s.text.strip() for s in self.snippets if s.text.startswith("build/")]

    def step(self, what, action, *arguments):
        expected = next((reason for about, reason in EXPECTED_FAILURES.items()
                         if re.search(about, f"{self.name}: {what}")), None)
        start, how, words = time.monotonic(), "passed", ""
        try:
            action(*arguments)
            if expected:
                how, words = "FAILED", "was expected to fail and does not: take its line out"
        except Skipped as reason:
            how, words = "skipped", str(reason)
        except Failed as problem:
            how, words = ("expected failure", expected) if expected else ("FAILED", str(problem))
        self.counts[how] = self.counts.get(how, 0) + 1
        print(f"{how}: {self.name}: {what.strip()} {time.monotonic() - start:.1f} s{': ' if words else ''}{words}",
              flush=True)
        return how == "passed"

    def run(self):
        self.step("files", self.check_files)
        for snippet in self.snippets:
            text = snippet.text.strip()
            if snippet.kind == "cpp":
                self.step("cpp", self.run_code, snippet.text)
            elif text.startswith("cameo compile"):
                self.step(text, self.compile_again, text)
            elif snippet.kind == "shell" and not text.startswith("build/"):
                if self.step(text, self.build, text):
                    self.run_programs(text)

    def check_files(self):
        """The first column of the table of files."""
        table = (self.net / "README.md").read_text().partition("## Files")[2]
        named = [name for row in re.findall(r"^\|(.*?)\|", table, flags=re.M) for name in re.findall(r"`(\S+)`", row)]
        missing = [name for name in named if not list(self.net.glob(name.rstrip("/")))]
        if missing or not named:
            raise Failed(f"{', '.join(missing) or 'no files'}")

    def compile_again(self, command):
        self.shop.run(f"{command} -o again")
        compared = filecmp.dircmp(self.net, self.shop.folder / "again")
        if compared.left_only or compared.right_only or compared.diff_files:
            raise Failed(f"makes another folder: {compared.left_only + compared.right_only + compared.diff_files}")

    def build(self, text):
        emulates = "CAMEO_EMULATE" in text
        if self.configuration.target == "cuda" and not emulates and not self.nvcc:
            raise Skipped("no nvcc")
        if re.fullmatch(r"cmake -B \S+( -D\S+)*", text):
            text += " && cmake --build build"
        self.shop.run(text.replace("cmake --build build", "cmake --build build -j2"), folder=self.net)

    def run_programs(self, build):
        if not self.programs and self.configuration.heap == "runtime":
            self.step("program --in", self.fail, "the README does not say how to run the program")
        for program in self.programs:
            if "cmake" not in build:
                program = "./" + program.removeprefix("build/")
            has_device = "CAMEO_EMULATE" in build or self.configuration.target == "cpu"
            self.step(program, self.run_program, program, has_device)

    def fail(self, problem):
        raise Failed(problem)

    def run_program(self, program, has_device):
        """Its outputs against ONNX Runtime's."""
        words = {"FILE.npy": str(self.shop.folder / "image.npy"), "FOLDER": "results",
                 "FILE.bin": str(self.net / "digits_weights.bin")}
        for word, value in words.items():
            program = re.sub(rf"(?<![\w.]){re.escape(word)}", value, program)
        shutil.rmtree(self.net / "results", ignore_errors=True)
        if not has_device and not Path("/dev/nvidiactl").exists():
            # What it says then is a promise as well: it ends in an orderly way.
            self.shop.run(f"{program} && exit 1 || test $? -lt 126", folder=self.net)
            raise Skipped("no GPU")
        self.shop.run(program, folder=self.net)
        expected = read_data_set(DIGITS / "test_data_set_0")[1]
        for number, array in enumerate(expected):
            got = np.load(self.net / "results" / f"output_{number}.npy")
            if got.shape != array.shape or not np.allclose(got, array, rtol=1e-4, atol=1e-5):
                raise Failed(f"output {number} is wrong")

    def run_code(self, text):
        emulate = self.configuration.target == "cuda"
        if self.configuration.weights == "extern":
            shutil.copy(self.net / "digits_weights.bin", self.shop.folder)
        self.shop.build_and_run("generated.cpp", text, {"digits": self.net}, "-DCAMEO_EMULATE=ON" if emulate else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scratch", nargs="?", default=Path(tempfile.gettempdir(), "cameo-docs-generated"), type=Path)
    parser.add_argument("--seed", type=int, default=int(time.time() // 86400), help="default: the day")
    parser.add_argument("--all", action="store_true", help="the whole matrix")
    parser.add_argument("--only", default="", help="those whose names contain this, of the whole matrix")
    arguments = parser.parse_args()
    everything = [Configuration(*values) for values in MATRIX]
    chosen = everything if arguments.all else sample("docs.generated", choose(arguments.seed), LONG)
    if arguments.only:
        chosen = [one for one in everything if arguments.only in str(one)]
    print(f"seed {arguments.seed}: {len(chosen)} of {len(everything)} configurations")
    counts = {}
    for configuration in chosen:
        Trial(configuration, arguments.scratch.resolve(), counts).run()
    print(", ".join(f"{count} {how}" for how, count in sorted(counts.items())))
    sys.exit(bool(counts.get("FAILED")) or not counts.get("passed"))


if __name__ == "__main__":
    main()
