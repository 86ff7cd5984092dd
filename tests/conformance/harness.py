# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Takes cases through all steps on one target: outcomes by name."""
import shutil
import time
from concurrent.futures import ThreadPoolExecutor, as_completed

from build import Toolchain, build_and_run, compile_case, generated, make_batches
from outcome import Outcome
from run_case import judge, run_case


class Harness:
    def __init__(self, cameo, target, scratch, jobs=2, compile_timeout=60, run_timeout=300, progress=lambda text: None,
                 trace=False, judge=judge, level="-O1"):
        """`trace`: the emulator holds every access of kernels against what they declare. `judge` as in run_case. `level`:
        how much the C++ compiler optimises."""
        self.cameo, self.target, self.jobs = cameo, target, jobs
        self.trace, self.judge, self.level = trace, judge, level
        self.scratch = scratch / target
        self.scratch.mkdir(parents=True, exist_ok=True)
        self.compile_timeout, self.run_timeout = compile_timeout, run_timeout
        self.progress = progress

    def each(self, work, items):
        """Results in the order in which they come."""
        with ThreadPoolExecutor(self.jobs) as pool:
            waiting = [pool.submit(work, item) for item in items]
            for number, done in enumerate(as_completed(waiting), 1):
                yield done.result()
                self.progress(f"{number} of {len(waiting)}")

    def compile(self, cases):
        """Outcomes of those that end here, folders of the others."""
        def one(case):
            folder = self.scratch / "generated" / case.identifier
            start = time.monotonic()
            outcome = compile_case(self.cameo, case, self.target, folder, self.compile_timeout)
            return case, folder, outcome, time.monotonic() - start

        outcomes, folders = {}, {}
        for case, folder, outcome, seconds in self.each(one, cases):
            if outcome is None:
                folders[case.name] = folder
            else:
                outcome.seconds["compile"] = round(seconds, 3)
                outcomes[case.name] = outcome
        return outcomes, folders

    def run(self, cases, folders):
        """Outcomes of cases that have a folder of generated files."""
        if not cases:
            return {}
        tools = Toolchain(self.target, self.scratch, self.trace, self.level)
        files = [generated(folders[case.name], case.identifier) for case in cases]
        tools.precompile("host", [host for host, _, _ in files])
        tools.precompile("kernels", [path for _, kernels, _ in files for path in kernels])
        programs = self.scratch / "programs"
        shutil.rmtree(programs, ignore_errors=True)

        def run(case, program):
            start = time.monotonic()
            outcome = run_case(case, program, self.run_timeout, self.judge)
            outcome.seconds["run"] = round(time.monotonic() - start, 3)
            return outcome

        batches = list(enumerate(make_batches(tools, cases, folders, self.jobs)))
        outcomes = {}
        for found in self.each(lambda item: build_and_run(item[1], programs / str(item[0]), run), batches):
            outcomes.update(found)
        return outcomes

    def take(self, cases, choose=lambda cases, folders: cases):
        """Compiles all, runs those that `choose` takes of the ones that compile."""
        outcomes, folders = self.compile(cases)
        compiled = [case for case in cases if case.name in folders]
        wanted = choose(compiled, folders)
        outcomes.update({case.name: Outcome("compiles") for case in compiled if case not in wanted})
        outcomes.update(self.run(wanted, folders))
        return outcomes
