#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every loop that the kernel templates promise to be independent is vectors for AVX-512 wherever a model has it, by g++'s own
account: vectorised.py CAMEO MODEL SCRATCH. A loop that has become one of single elements computes the same, ten times
slower, which no other test sees.
"""
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from share import skip_unless_taken

FLAGS = ["-std=c++17", "-O3", "-march=x86-64-v4", "-mavx512vnni", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math",
         "-fno-exceptions", "-fno-rtti", "-pthread"]
REPORT = re.compile(r"^(?:\./)?(cameo/\S+):(\d+):\d+: (optimized: loop vectorized using 64|missed: *couldn't vectorize loop)")


def independent_loops(folder):
    """(file, line) of the loops behind the macro."""
    for header in folder.glob("cameo/**/*.h"):
        for number, line in enumerate(header.read_text().splitlines(), 1):
            if line.strip() == "CAMEO_INDEPENDENT":
                yield str(header.relative_to(folder)), number + 1


def reports(folder, source):
    log = folder / f"{source.stem}.loops"
    subprocess.run([os.environ.get("CXX", "g++"), *FLAGS, f"-fopt-info-vec-all={log}", "-I.", "-c", source.name, "-o", f"{source.stem}.o"],
                   cwd=folder, check=True)
    for line in log.read_text().splitlines():
        if found := REPORT.match(line):
            yield found[1], int(found[2]), found[3].startswith("optimized")


def main():
    cameo, model, folder = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    skip_unless_taken("vectorised", model.stem, f"tests/models/{model.stem}.py")
    if "Free Software Foundation" not in subprocess.run([os.environ.get("CXX", "g++"), "--version"], capture_output=True,
                                                        text=True).stdout:
        print("SKIP: only g++ tells of each loop")
        sys.exit(77)
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([cameo, "compile", model, "-o", folder, "--name", "net"], check=True, capture_output=True)
    loops = set(independent_loops(folder))
    assert loops, "no header has such a loop"
    vectors, missed = Counter(), Counter()
    for source in sorted(folder.glob("net_kernels*.cpp")):
        for file, line, is_vector in reports(folder, source):
            if (file, line) in loops:
                (vectors if is_vector else missed)[file, line] += 1
    print(f"{sum(vectors.values())} loops of vectors at {len(vectors)} places")
    for (file, line), count in sorted(missed.items()):
        print(f"{file}:{line}: {count} of {count + vectors[file, line]} are loops of single elements")
    sys.exit(1 if missed or not vectors else 0)


if __name__ == "__main__":
    main()
