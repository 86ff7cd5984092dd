# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One model given to `cameo compile`, whatever it is: judged by how the compiler ends, not by what it makes.

A model that somebody changed compiles, or is refused as malformed, unsupported or beyond a limit. Anything else is a fault:
a signal, exit 1 (an error of the compiler's own), more time or memory than is promised.
"""
import collections
import multiprocessing
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "conformance"))
import suite  # noqa: E402

ALLOWED = (0, 4, 5, 6)
SECONDS = 10
BYTES = 1 << 30
TARGETS = ("cpu", "cuda")


@dataclass
class Trial:
    """What is compiled: a name that says how it was made, the target, the model's bytes."""
    name: str
    target: str
    model: bytes
    # Whether a second process must make the same bytes of it.
    twice: bool = False


@dataclass
class Outcome:
    name: str
    target: str
    code: int
    seconds: float
    bytes: int
    said: str
    # Files that a second process made otherwise.
    other: tuple = ()

    def fault(self, slack):
        """What is wrong with it, in words that trials with the same fault share; empty where nothing is."""
        if self.seconds > SECONDS * slack:
            return "takes too long"
        if self.code not in ALLOWED:
            how = f"signal {-self.code}" if self.code < 0 else f"exit {self.code}"
            return f"{how}: {re.sub(r'[0-9]{3,}|0x[0-9a-f]+', 'N', self.problem())}"
        if self.other:
            return "makes other bytes in another process"
        return "takes too much memory" if self.bytes > BYTES * slack else ""

    def problem(self):
        """The diagnostic without the model's name."""
        line = self.said.strip().splitlines()[-1] if self.said.strip() else "says nothing"
        return line.split("model.onnx: ")[-1][:300]


def compile_one(cameo, trial, folder, slack=1):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    path = folder / "model.onnx"
    path.write_bytes(trial.model)
    command = [cameo, "compile", path, "-o", folder / "net", "--no-runtime", "--target", trial.target]
    with open(folder / "said", "w+b") as said:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said,
                                   close_fds=False)
        # Processor time is what counts; the clock ends what waits for ever.
        timer = threading.Timer(3 * SECONDS * slack, process.kill)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        timer.cancel()
        said.seek(0)
        text = said.read(4096).decode("ascii", "replace")
    return Outcome(trial.name, trial.target, process.returncode, usage.ru_utime + usage.ru_stime,
                   usage.ru_maxrss * 1024, text)


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class Runner:
    """Compiles what `make` makes of each number, `jobs` at a time; keeps the models at fault in a folder."""

    def __init__(self, cameo, scratch, slack, make):
        self.cameo, self.scratch, self.slack, self.make = Path(cameo).resolve(), scratch, slack, make
        self.found = scratch / "found"

    def limit(self):
        # A bomb ends before the machine does; sanitizers map terabytes that they never touch.
        if self.slack == 1:
            resource.setrlimit(resource.RLIMIT_AS, (8 << 30,) * 2)
        resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY,) * 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        self.folder = Path(tempfile.mkdtemp(dir=self.scratch))

    def run_one(self, number):
        trial = self.make(number)
        if trial is None:
            return None
        outcome = compile_one(self.cameo, trial, self.folder, self.slack)
        if trial.twice and outcome.code == 0:
            first = contents(self.folder / "net")
            compile_one(self.cameo, trial, self.folder, self.slack)
            second = contents(self.folder / "net")
            outcome.other = tuple(n for n in sorted({*first, *second}) if first.get(n) != second.get(n))
        if outcome.fault(self.slack):
            (self.found / f"{outcome.name}.{outcome.target}.onnx").write_bytes(trial.model)
        return outcome

    def run(self, numbers, jobs, progress=0):
        """(how many ended with each code, outcomes at fault by what is wrong)"""
        global current
        current = self
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.found.mkdir(parents=True)
        codes, faults = collections.Counter(), collections.defaultdict(list)
        with multiprocessing.get_context("fork").Pool(jobs, start) as pool:
            for done, outcome in enumerate(pool.imap(step, numbers, chunksize=4), 1):
                if outcome is not None:
                    codes[outcome.code] += 1
                    if fault := outcome.fault(self.slack):
                        faults[fault].append(outcome)
                if progress and done % progress == 0:
                    print(f"{done} done, {sum(map(len, faults.values()))} at fault", flush=True)
        return codes, faults


current = None


def start():
    current.limit()


def step(number):
    return current.run_one(number)


def tell(what, codes, faults, found):
    """Prints how trials ended and, by fault, which did not end as promised; the exit code."""
    for fault, outcomes in sorted(faults.items(), key=lambda item: -len(item[1])):
        print(f"FAILED {len(outcomes)} x {fault}")
        for outcome in outcomes[:4]:
            print(f"    {outcome.name} ({outcome.target}, {outcome.seconds:.1f} s, {outcome.bytes >> 20} MiB)")
    ends = ", ".join(f"{count} x exit {code}" for code, count in sorted(codes.items()))
    print(f"{what}: {sum(codes.values())} models, {ends}; {sum(map(len, faults.values()))} at fault"
          + (f", kept in {found}" if faults else ""))
    return 1 if faults or not codes else 0
