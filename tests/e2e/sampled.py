# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of tests/models through `verify` in some way of memory, on the CPU and, with accesses traced, on the emulator: a few by
CAMEO_SEED, or those that the command line names."""
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from schemas import read_report  # noqa: E402
from share import SEED, SHARE  # noqa: E402

TARGETS = (("cpu", []), ("cuda-emu", ["--trace"]))
# Models of a run of the tests, of all there are; a newcomer waits for one.
SAMPLE = 4 if SHARE <= 4 else 1


def verify(cameo, model, target, flags):
    """The process, and its report; {} where it wrote none."""
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.json"
        done = subprocess.run([cameo, "verify", model, "--target", target, *flags, "--json", report], capture_output=True, text=True)
        return done, read_report("verify", report) if report.exists() else {}


def find_problems(model, target, done, said, refused):
    """What is wrong with a run; data sets that are refused by a text of `refused` are in order."""
    problems = [f"{case['data']}: {case.get('problem') or case['outputs']}" for case in said.get("cases", ())
                if not case["passed"] and not any(text in case.get("problem", "") for text in refused)]
    if said and done.returncode in (0, 8) and not problems:
        return []
    return [f"{model.stem} on {target}: exit {done.returncode} {done.stderr.strip()[-600:]}", *problems]


def main(check, title, always=()):
    """`check(cameo, model, target, flags)` gives the problems of a model; those of `always` are in every sample."""
    cameo, folder = sys.argv[1], Path(sys.argv[2])
    others = sorted(path.name for path in folder.iterdir() if path.name not in always)
    names = sys.argv[3:] or [*always, *random.Random(f"{SEED} {title}").sample(others, SAMPLE)]
    print("CAMEO_SEED", SEED)
    problems = [line for name in names for target, flags in TARGETS
                for line in check(cameo, folder / name / f"{name}.onnx", target, flags)]
    print(*problems, sep="\n")
    return 1 if problems else 0
