#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NAME.cdx.json is valid CycloneDX 1.6 and names every file beside it with its hash and licence. parts.py FILE...: whether
these are valid."""
import hashlib
import json
import re
import sys
import unittest
from pathlib import Path

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator


def read_parts(path):
    text = Path(path).read_text()
    problem = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    assert problem is None, f"{path}: {problem}"
    return json.loads(text)


if len(sys.argv) > 1:
    for name in sys.argv[1:]:
        print(name, len(read_parts(name)["components"]), "components")
    sys.exit()

import numpy as np  # noqa: E402
from onnx import helper, numpy_helper  # noqa: E402
from small import Case, model  # noqa: E402

SPDX = "Apache-2.0 WITH LLVM-exception"


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Parts(Case):
    def setUp(self):
        super().setUp()
        weight = numpy_helper.from_array(np.ones((2, 3), np.float32), "w")
        nodes = [helper.make_node("MatMul", ["x", "w"], ["y"])]
        self.model = self.save(model(nodes, [("x", ["n", 2])], [("y", ["n", 3])], initializers=[weight]), "net.onnx")

    def parts(self, *flags):
        self.cameo("compile", self.model, "-o", "net", *flags)
        return read_parts(self.folder / "net" / "net.cdx.json")

    def test_every_file_is_named(self):
        for flags in ([], ["--target", "cuda", "--weights", "file"], ["--heap", "none", "--dim", "n=1"]):
            with self.subTest(flags=flags):
                bill = self.parts(*flags)
                found = {part["bom-ref"]: part for part in bill["components"]}
                self.assertEqual(found["model"]["hashes"], [{"alg": "SHA-256", "content": digest(self.model)}])
                runtime = found["runtime"]["components"]
                files = {part["name"]: part for part in [*found.values(), *runtime] if part["bom-ref"].startswith("file:")}
                net = self.folder / "net"
                there = {str(path.relative_to(net)) for path in net.rglob("*") if path.is_file()}
                self.assertEqual(set(files), there - {"net.cdx.json", "cameo.files"})
                for name, part in files.items():
                    (hashed,) = part["hashes"]
                    if name != "net_weights.bin":
                        self.assertEqual(hashed, {"alg": "SHA-256", "content": digest(net / name)}, name)
                for part in runtime:
                    self.assertIn(f"SPDX-License-Identifier: {SPDX}", (net / part["name"]).read_text()[:200])
                    self.assertEqual(part["licenses"], [{"expression": SPDX}], part["name"])
                if "net_weights.bin" in files:
                    weights = files["net_weights.bin"]
                    self.assertEqual((weights["type"], weights["hashes"][0]["alg"]), ("data", "BLAKE3"))
                (tool,) = bill["metadata"]["tools"]["components"]
                self.assertEqual(tool["version"], self.cameo("--version").stdout.split()[1])
                self.assertEqual(set(bill["dependencies"][0]["dependsOn"]),
                                 {part["bom-ref"] for part in found.values()})

    def test_the_serial_number_is_of_the_content(self):
        one, same, other = self.parts(), self.parts(), self.parts("--precision", "strict")
        self.assertEqual(one, same)
        self.assertNotEqual(one["serialNumber"], other["serialNumber"])
        self.assertTrue(re.fullmatch(r"urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}",
                                     one["serialNumber"]))

    def test_from_standard_input(self):
        with open(self.model, "rb") as stream:
            self.cameo("compile", "-", "--name", "net", "-o", "net", stdin=stream)
        part = read_parts(self.folder / "net" / "net.cdx.json")["components"][0]
        self.assertEqual((part["name"], part["hashes"][0]["content"]), ("<stdin>", digest(self.model)))


if __name__ == "__main__":
    unittest.main()
