#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The folder that compile writes: whole or not at all, the same every time, and only where it may."""
import filecmp
import os
import re
import signal
import subprocess
import time
import unittest
from pathlib import Path

import numpy as np
from onnx import helper, numpy_helper
from small import CAMEO, Case, model

DOCS = Path(__file__).resolve().parents[2] / "docs"


def content(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


class Folder(Case):
    def compile(self, output="net", code=0, *flags):
        return self.cameo("compile", self.model, "-o", output, *flags, code=code)

    def leftovers(self):
        return [p.name for p in self.folder.iterdir() if p.name.startswith(".cameo")]

    def test_default_name(self):
        self.cameo("compile", self.model)
        self.assertTrue((self.folder / "tiny" / "tiny.h").exists())

    def test_same_bytes(self):
        self.compile("a")
        self.compile("b")
        self.assertEqual(content(self.folder / "a"), content(self.folder / "b"))

    def test_name_reaches_files_and_symbols(self):
        self.compile("net", 0, "--name", "other")
        self.assertIn("other_run", (self.folder / "net" / "other.h").read_text())

    def test_own_folder_is_replaced(self):
        self.compile("net", 0, "--name", "before")
        self.compile("net", 0, "--name", "after")
        names = set(content(self.folder / "net"))
        self.assertIn("after.h", names)
        self.assertNotIn("before.h", names)
        self.assertEqual(self.leftovers(), [])

    def test_what_others_wrote_stays(self):
        self.compile("net", 0, "--target", "cuda", "--name", "before")
        net = self.folder / "net"
        (net / "build").mkdir()
        foreign = {"notes.txt": "mine", "build/cache": "made", "cameo/cuda/notes.txt": "mine, too"}
        for name, text in foreign.items():
            (net / name).write_text(text)
        (net / "README.md").write_text("edited")
        self.compile("net")
        for name, text in foreign.items():
            self.assertEqual((net / name).read_text(), text)
            (net / name).unlink()
        (net / "build").rmdir()
        (net / "cameo" / "cuda").rmdir()
        self.compile("alone")
        self.assertEqual(content(net), content(self.folder / "alone"))
        self.assertEqual(self.leftovers(), [])

    def test_what_is_in_the_way_is_named(self):
        for name, is_folder in (("after.cpp", False), ("after.cpp", True), ("after.h", True)):
            with self.subTest(name, is_folder=is_folder):
                self.compile("net", 0, "--name", "before")
                before = content(self.folder / "net")
                path = self.folder / "net" / name
                path.mkdir() if is_folder else path.write_text("mine")
                done = self.compile("net", 3, "--name", "after")
                self.assertIn(f"net/{name}", done.stderr)
                path.rmdir() if is_folder else path.unlink()
                self.assertEqual(content(self.folder / "net"), before)
        self.assertEqual(self.leftovers(), [])

    def test_nothing_outside_is_removed(self):
        (self.folder / "precious").write_text("keep")
        (self.folder / "away").mkdir()
        (self.folder / "away" / "file").write_text("keep")
        self.compile()
        (self.folder / "net" / "link").symlink_to("../away")
        with open(self.folder / "net" / "cameo.files", "a") as names:
            names.write(f"../precious\n{self.folder}/precious\nlink/file\n./../precious\n")
        self.compile()
        self.assertEqual((self.folder / "precious").read_text(), "keep")
        self.assertEqual((self.folder / "away" / "file").read_text(), "keep")

    def test_what_is_the_same_is_not_touched(self):
        def times():
            return {name: (self.folder / "net" / name).stat().st_mtime_ns for name in content(self.folder / "net")}
        self.compile()
        before = times()
        self.compile()
        self.assertEqual(times(), before)
        # Another command: it is in the head of the model's own files, the runtime's are as they were.
        self.compile("net", 0, "--dim", "n=4")
        after = times()
        self.assertNotEqual(after["tiny.cpp"], before["tiny.cpp"])
        self.assertEqual(after["cameo/abi.h"], before["cameo/abi.h"])

    def test_empty_folder_is_filled(self):
        (self.folder / "net").mkdir()
        self.compile("net/")
        self.assertTrue((self.folder / "net" / "tiny.h").exists())

    def test_missing_parents_are_made(self):
        self.compile("a/b/net")
        self.assertTrue((self.folder / "a" / "b" / "net" / "tiny.h").exists())
        self.cameo("compile", self.model, "-o", "c/d/net", code=3, preexec_fn=limit_files)
        self.assertFalse((self.folder / "c").exists())

    def test_working_folder_is_filled(self):
        here = self.folder / "here"
        here.mkdir()

        def compile_here(*flags, code=0, **options):
            done = subprocess.run([CAMEO, "compile", self.model, "-o", ".", *flags], cwd=here, capture_output=True, text=True,
                                  **options)
            self.assertEqual(done.returncode, code, done.stderr)

        compile_here(code=3, preexec_fn=limit_files)
        self.assertEqual(list(here.iterdir()), [])
        compile_here()
        self.compile("alone")
        self.assertEqual(content(here), content(self.folder / "alone"))
        # It is ours from then on.
        compile_here("--name", "other")
        self.assertTrue((here / "other.h").exists() and not (here / "tiny.h").exists())
        self.assertEqual(self.leftovers(), [])

    def test_mount_point_is_filled(self):
        for kind in (["-t", "tmpfs", "none"], ["--bind", "source"]):  # another file system, and the same one
            with self.subTest(kind[0]):
                net, source = self.folder / f"net{kind[0]}", self.folder / "source"
                net.mkdir()
                source.mkdir(exist_ok=True)
                mount = ["sh", "-c", f"mount {' '.join(kind)} {net} && \"$@\" && ls -A {net}", "sh"]
                command = ["unshare", "-m", *mount]
                if subprocess.run([*command, "true"], cwd=self.folder, capture_output=True).returncode != 0:
                    print("SKIP: nothing can be mounted")
                    self.skipTest("nothing can be mounted")
                done = subprocess.run([*command, CAMEO, "compile", self.model, "-o", net], cwd=self.folder, text=True,
                                      capture_output=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("tiny.h", done.stdout)
                self.assertEqual(self.leftovers(), [])

    def test_a_list_that_is_no_file(self):
        for name, make in (("pipe", os.mkfifo), ("endless", lambda path: path.symlink_to("/dev/zero")), ("folder", os.mkdir)):
            with self.subTest(name):
                (self.folder / name).mkdir()
                make(self.folder / name / "cameo.files")
                done = self.cameo("compile", self.model, "-o", name, code=3, timeout=60)
                self.assertIn(f"{name}/cameo.files: is not a regular file", done.stderr)

    def test_headers_that_the_documents_name(self):
        self.compile()
        named = set(re.findall(r"`(cameo/[a-z_]+\.(?:h|def))`", (DOCS / "api.md").read_text()))
        self.assertIn("cameo/dlpack.h", named)
        self.assertEqual({name for name in named if not (self.folder / "net" / name).exists()}, set())

    def test_small_machines_have_no_tiles(self):
        # Winograd's weights and planes are worth it where there is memory.
        weights = numpy_helper.from_array(np.zeros((64, 64, 3, 3), np.float32), "w")
        conv = helper.make_node("Conv", ["x", "w"], ["y"], pads=[1] * 4)
        path = self.save(model([conv], [("x", [1, 64, 56, 56])], [("y", [1, 64, 56, 56])], initializers=[weights]), "conv.onnx")
        for folder, flags, has_tiles in (("large", (), True), ("small", ("--heap", "none", "--threads", "0"), False)):
            self.cameo("compile", path, "-o", folder, *flags)
            text = (self.folder / folder / "conv_kernels.cpp").read_text()
            self.assertEqual("conv_winograd" in text, has_tiles, folder)

    def test_foreign_things_stay(self):
        (self.folder / "full").mkdir()
        (self.folder / "full" / "precious").write_text("keep")
        (self.folder / "file").write_text("keep")
        (self.folder / "empty").mkdir()
        (self.folder / "link").symlink_to("empty")
        before = content(self.folder)
        for output in ("full", "file", "link", "file/net", "n" * 300, "missing/too/" + "n" * 300, ""):
            with self.subTest(output):
                self.compile(output, 3 if output else 0)
        after = content(self.folder)
        self.assertEqual(before, {name: after[name] for name in before})
        self.assertTrue((self.folder / "link").is_symlink())
        self.assertFalse((self.folder / "missing").exists())
        self.assertEqual(self.leftovers(), [])

    def test_unwritable_parent(self):
        if os.geteuid() == 0:
            print("SKIP: root may write everywhere")
            return
        (self.folder / "locked").mkdir(mode=0o500)
        self.compile("locked/net", 3)

    def test_one_of_many_wins_whole(self):
        commands = [[CAMEO, "compile", self.model, "-o", "net", "--name", f"name{i % 2}"] for i in range(8)]
        running = [subprocess.Popen(c, cwd=self.folder, stderr=subprocess.PIPE) for c in commands]
        for process in running:
            _, errors = process.communicate()
            self.assertEqual(process.returncode, 0, errors)
        self.assertEqual(self.leftovers(), [])
        (header,) = (self.folder / "net").glob("name?.h")
        self.compile("alone", 0, "--name", header.stem)
        same = filecmp.dircmp(self.folder / "alone", self.folder / "net")
        self.assertEqual((same.left_only, same.right_only, same.diff_files), ([], [], []))

    def test_signals_leave_nothing_half(self):
        for delay in range(12):
            process = subprocess.Popen([CAMEO, "compile", self.model, "-o", "net"], cwd=self.folder,
                                       stderr=subprocess.DEVNULL)
            time.sleep(delay * 0.01)
            process.send_signal(signal.SIGTERM)
            process.wait()
            self.assertEqual(self.leftovers(), [])
            if (self.folder / "net").exists():
                self.assertIn("tiny.plan.json", content(self.folder / "net"))

    def test_disk_full(self):
        self.cameo("compile", self.model, "-o", "net", code=3, preexec_fn=limit_files)
        self.assertFalse((self.folder / "net").exists())
        self.assertEqual(self.leftovers(), [])


def limit_files():
    import resource
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


if __name__ == "__main__":
    unittest.main()
