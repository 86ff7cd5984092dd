#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of `cameo explain --html`, in a real browser: what a click on a crossing tells, folds, boxes, search, keys,
names that look like markup, and how soon a graph of 5000 nodes can be used."""
import json
import sys
import unittest

from onnx import TensorProto, helper

import browser
from small import Case, model, read_report

node = helper.make_node
# Measured by the page, from its start to the graph on the screen. About 200 ms on two shared cores.
SLOWEST_OPENING_MS = 2000


def readback(name="total"):
    """A sum of device data decides an extent: one fetch."""
    nodes = [node("ReduceSum", ["x"], [name], keepdims=0, name="sum"), node("Cast", [name], ["count"], to=7, name="cast"),
             node("Unsqueeze", ["count", "zero"], ["dims"], name="unsqueeze"),
             node("ConstantOfShape", ["dims"], ["y"], name="fill")]
    return model(nodes, [("x", ["n"])], [("y", ["k"])], initializers=[helper.make_tensor("zero", 7, [1], [0])])


def chain(length):
    """Cheap nodes one behind the other, the input read by every other one."""
    nodes = []
    for number in range(length):
        kind = ("Mul", "Relu", "Add", "Sigmoid")[number % 4]
        before = f"v{number - 1}" if number else "x"
        nodes.append(node(kind, [before, "x"][:2 - number % 2], [f"v{number}"], name=f"n{number}"))
    return model(nodes, [("x", ["n"])], [(f"v{length - 1}", ["n"])])


def branches():
    """An If by a bool of the host, each of whose branches has a node."""
    bodies = [helper.make_graph([node(kind, ["x"], [kind], name=kind.lower())], kind, [],
                                [helper.make_tensor_value_info(kind, TensorProto.FLOAT, ["n"])]) for kind in ("Neg", "Abs")]
    proto = model([node("If", ["flag"], ["y"], then_branch=bodies[0], else_branch=bodies[1], name="choose")], [("x", ["n"])],
                  [("y", ["n"])])
    proto.graph.input.append(helper.make_tensor_value_info("flag", TensorProto.BOOL, []))
    return proto


class Page(Case):
    @classmethod
    def setUpClass(cls):
        cls.browser = browser.Browser()
        cls.addClassCleanup(cls.browser.close)

    def open(self, proto, name="tiny.onnx"):
        """The report that the page was made of; milliseconds until the page could be used stay in self.opened."""
        page, report = self.folder / "page.html", self.folder / "report.json"
        self.cameo("explain", self.save(proto, name), "--target", "cuda", "--html", page, "--json", report)
        self.opened = self.browser.open(page)
        return read_report("explain", report)

    def details(self):
        return self.browser.run("(panel.hidden ? '' : panel.innerText)")

    def labels(self):
        """Of all items that are drawn."""
        return self.browser.run("[...document.querySelectorAll('#world .item')].map((item) => item.getAttribute('aria-label').trim())")

    def item(self, label):
        return f'#world .item[aria-label="{label}"]'

    def test_facts_are_those_of_the_json(self):
        report = self.open(readback())
        embedded = json.loads(self.browser.run("document.getElementById('report').textContent"))
        self.assertEqual((embedded.pop("model"), embedded.pop("target")), ("tiny.onnx", "cuda"))
        self.assertEqual(embedded, report)

    def test_the_head_says_whether_a_run_is_capturable(self):
        obstacle = self.open(readback())["capture"]["obstacle"]
        head = "document.getElementById('counts').innerText"
        self.assertIn(f"capturable: no, the host waits for {obstacle['value']}", self.browser.run(head))
        self.open(chain(3))
        self.assertIn("capturable: yes", self.browser.run(head))

    def test_a_click_on_a_crossing_tells_why(self):
        (crossing,) = self.open(readback())["crossings"]
        self.assertEqual(self.browser.run("document.querySelectorAll('#world .crossing').length"), 1)
        self.browser.click("#world .crossing.fetch")
        for fact in (crossing["reason"], crossing["remedy"], crossing["producer"], *crossing["consumers"]):
            self.assertIn(fact, self.details())
        self.assertIn("the caller waits", self.details())
        self.assertIn("4 bytes", self.details())
        # The list beside the picture leads to the same.
        before = self.details()
        self.browser.press("Escape")
        self.assertEqual(self.details(), "")
        self.browser.click("#crossings button")
        self.assertEqual(self.details(), before)

    def test_a_click_on_a_node_tells_of_its_value(self):
        report = self.open(readback())
        (count,) = (value for value in report["values"] if value["name"] == "count")
        self.browser.click(self.item("Cast cast"))
        for fact in ("count", f"{count['dtype']}[]", count["side"], count["reason"], str(count["cost_ns"]["host"])):
            self.assertIn(fact, self.details())

    def test_folds_say_how_many_and_open(self):
        self.open(chain(120))
        (fold,) = (label for label in self.labels() if label.startswith("120 nodes"))
        self.browser.click(self.item(fold))
        # More than can be looked at in one go: parts of it.
        parts = [label for label in self.labels() if " nodes" in label]
        self.assertEqual(sum(int(label.split()[0]) for label in parts), 120)
        self.assertGreater(len(parts), 1)
        self.browser.click(self.item(parts[0]))
        self.assertIn("Mul n0", self.labels())

    def test_boxes_fold(self):
        self.open(branches())
        self.assertTrue({"Neg neg", "Abs abs"} <= set(self.labels()), self.labels())
        self.browser.click("#world .box")
        self.browser.run("[...document.querySelectorAll('#details button')].find((one) => one.innerText === 'Fold').click()")
        self.assertNotIn("Neg neg", self.labels())
        self.assertIn("If 2 nodes inside", self.labels())

    def test_search_reaches_into_folds(self):
        self.open(chain(5000))
        self.assertLess(self.opened, SLOWEST_OPENING_MS)
        print(f"5000 nodes: {self.opened} ms")
        self.assertNotIn("Mul n2000", self.labels())
        self.browser.run("{ const field = document.getElementById('search'); field.value = 'v2000';"
                         " field.dispatchEvent(new Event('input')); }")
        self.browser.click("#found button")
        self.assertIn("Mul n2000", self.labels())
        self.assertIn("v2000", self.details())

    def test_keys(self):
        self.open(readback())
        self.browser.run("document.querySelector('#world .crossing').focus()")
        self.browser.press("Enter")
        self.assertIn("To remove it", self.details())
        scale = "Number(document.getElementById('world').getAttribute('transform').match(/scale.([0-9.]+)/)[1])"
        before = self.browser.run(scale)
        self.browser.press("+")
        self.assertGreater(self.browser.run(scale), before)

    def test_names_are_no_markup(self):
        name = "</script><script>document.title='taken'</script><b id=taken>\"'&lt;"
        report = self.open(readback(name), "<b id='taken'>.onnx")
        self.assertEqual(report["crossings"][0]["value"], name)
        self.browser.click("#world .crossing")
        self.assertIn(name, self.details())
        self.assertIn("<b id='taken'>.onnx", self.browser.run("document.title"))
        self.assertEqual(self.browser.run("document.querySelectorAll('[id=taken], script').length"), 2)


if __name__ == "__main__":
    if not browser.find():
        print("SKIP: no chromium (tools/setup --browser)")
        sys.exit(0)
    unittest.main()
