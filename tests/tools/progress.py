#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Long work shows what it is busy with, on a terminal and nowhere else."""
import os
import pty
import re
import stat
import subprocess
import unittest

import numpy as np

from small import CAMEO, Case

X = np.float32([[1, 2]])


class Progress(Case):
    def on_terminal(self, *arguments, stdin=subprocess.DEVNULL, **variables):
        """The exit code, and what a terminal on standard error received."""
        try:
            ours, theirs = pty.openpty()
        except OSError as error:  # a container without /dev/pts
            print(f"SKIP: {error}")
            self.skipTest(str(error))
        process = subprocess.Popen([CAMEO, *map(str, arguments)], cwd=self.folder, stdin=stdin,
                                   stdout=subprocess.PIPE, stderr=theirs, env={**os.environ, "TERM": "xterm", **variables})
        os.close(theirs)
        said = b""
        try:
            while block := os.read(ours, 4096):
                said += block
        except OSError:  # how a terminal says that the other end is closed
            pass
        os.close(ours)
        process.stdout.read()
        process.stdout.close()
        return process.wait(), said.decode()

    def make_slow_compiler(self, wrong=False):
        """g++ that takes its time, so that a build of little is long."""
        compiler = self.folder / "slow++"
        compiler.write_text("#!/bin/sh\nsleep 0.2\n" + ("exit 1\n" if wrong else 'exec g++ "$@"\n'))
        compiler.chmod(compiler.stat().st_mode | stat.S_IXUSR)
        return {"CXX": str(compiler), "CAMEO_CACHE": str(self.folder / "cache")}

    def test_a_long_build(self):
        self.save_data("test_data_set_0", [X], [-X])
        code, said = self.on_terminal("verify", self.model, **self.make_slow_compiler())
        self.assertEqual(code, 0, said)
        self.assertRegex(said, r"\r\x1b\[Kcameo: building, \d+ of \d+ files are done [1-9]\d* s")
        self.assertTrue(said.endswith("\r\x1b[K"), "the line is not erased")

    def test_a_diagnostic_has_the_line_to_itself(self):
        self.save_data("test_data_set_0", [X], [-X])
        code, said = self.on_terminal("verify", self.model, **self.make_slow_compiler(wrong=True))
        self.assertEqual(code, 3, said)
        last = said.rsplit("\x1b[K", 1)[-1]
        self.assertRegex(last, r"^cameo: '.*/slow\+\+ .* ended with exit 1")

    def test_nothing_without_a_terminal(self):
        self.save_data("test_data_set_0", [X], [-X])
        slow = dict(os.environ, **self.make_slow_compiler())
        self.assertEqual(self.cameo("verify", self.model, env=slow).stderr, "")
        self.assertEqual(self.on_terminal("verify", self.model, **{**slow, "TERM": "dumb", "CAMEO_CACHE": "other"})[1], "")

    def test_a_large_model(self):
        # As slow to read as a large one: from a pipe whose other end takes its time.
        with subprocess.Popen(["sh", "-c", "sleep 1.5; cat tiny.onnx"], cwd=self.folder, stdout=subprocess.PIPE) as slow:
            code, said = self.on_terminal("compile", "-", "-o", "net", stdin=slow.stdout)
        self.assertEqual(code, 0, said)
        self.assertRegex(said, r"\r\x1b\[Kcameo: reading the model 1 s")


if __name__ == "__main__":
    unittest.main()
