# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What every phase of a run needs: lines that are on disk before the next thing starts, deadlines, and programs of the pack
that are ended at them."""
import json
import os
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

# Processes that share the device where nothing is timed: each has a context of its own to make, which is most of its time.
TOGETHER = 6


class Harness:
    def __init__(self, folder, out, budget):
        self.folder, self.out, self.start, self.budget = folder, out, time.monotonic(), budget
        self.pack = json.loads((folder / "pack.json").read_text())
        self.is_device = self.pack["target"] == "cuda"
        self.phase, self.deadline, self.counts, self.lock = "", 0.0, {}, Lock()
        self.devices = None

    # ---- What is written ----

    def write(self, result, item, **fields):
        line = {"phase": self.phase, "item": item, "result": result, "at_s": round(self.passed(), 2), **fields}
        with self.lock:
            of_phase = self.counts.setdefault(self.phase, {})
            of_phase[result] = of_phase.get(result, 0) + 1
            self.out.write(json.dumps(line) + "\n")
            self.out.flush()
            os.fsync(self.out.fileno())
        if result in ("FAILED", "SKIP"):
            print(f"{result} {self.phase} {item}: {fields.get('why', '')}"[:300], flush=True)

    # ---- Time ----

    def passed(self):
        return time.monotonic() - self.start

    def left(self):
        """Seconds until the phase must end."""
        return self.deadline - self.passed()

    # ---- Programs ----

    def execute(self, command, stdin=b"", **variables):
        """Exit code (none when it had to be ended), standard output and error."""
        try:
            done = subprocess.run([str(word) for word in command], input=stdin, capture_output=True, cwd=self.folder,
                                  env={**os.environ, **variables}, timeout=max(self.left(), 0.1))
        except subprocess.TimeoutExpired:
            return None, b"", b"ran into the deadline"
        return done.returncode, done.stdout, done.stderr

    @staticmethod
    def judge(code):
        return "passed" if code == 0 else "deadline" if code is None else "FAILED"

    def each(self, items, work):
        """work(item) for all items, some of them at a time; what there is no time for is one line."""
        not_run = []

        def one(item):
            if self.left() > 0:
                work(item)
            else:
                not_run.append(item)

        with ThreadPoolExecutor(TOGETHER) as pool:
            list(pool.map(one, items))
        if not_run:
            self.write("deadline", "all", not_run=len(not_run))

    def has_device(self):
        """Whether there is a device; asked once, and by the emulator's programs not at all."""
        if not self.is_device:
            return True
        if self.devices is None:
            self.devices = self.execute(["bin/constants", "device"])[0] == 0
        return self.devices

    @staticmethod
    def find_tool(name):
        """A program of the toolkit."""
        return shutil.which(name) or shutil.which(f"/usr/local/cuda/bin/{name}")
